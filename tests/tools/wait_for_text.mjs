// Opens a page in a real browser, says so, and waits until a text is on it, which it must not have loaded again for.
import { chromium } from 'playwright-core';

const order = JSON.parse(process.argv[2]);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage();
await page.goto(order.enter);
await page.goto(new URL(order.path, order.enter).href);
await page.evaluate('window.isTheSame = true');
console.log('open');
await page.getByText(order.text).first().waitFor();
console.log(await page.evaluate('window.isTheSame') ? 'there' : 'loaded again');
await browser.close();
