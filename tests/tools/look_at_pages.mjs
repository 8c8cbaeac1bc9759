// Opens pages in a real browser as one person, and prints as JSON what it finds:
//   node look_at_pages.mjs '{"enter": URL, "paths": [...], "views": [{"name", "width", "scheme"}], "folder": PATH}'
// `folder`: screenshots are left there; empty: none. Each page is checked with axe-core.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const order = JSON.parse(process.argv[2]);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext();
const page = await context.newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
await page.goto(order.enter);
const pages = [];
for (const view of order.views) {
  await page.setViewportSize({ width: view.width, height: 800 });
  await page.emulateMedia({ colorScheme: view.scheme });
  for (const path of order.paths) {
    await page.goto(new URL(path, order.enter).href);
    // by the protocol of the debugger, which the policy of the page does not concern
    const { violations } = await page.evaluate(`${axe}; axe.run()`);
    const serious = violations.filter((found) => ['serious', 'critical'].includes(found.impact));
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    pages.push({ path, view: view.name, serious: serious.map((found) => found.id), overflow });
    if (order.folder) {
      await page.screenshot({ path: `${order.folder}/${path.replaceAll('/', '_')}-${view.name}.png`, fullPage: true });
    }
  }
}
const cookies = await context.cookies();
console.log(JSON.stringify({ pages, problems, script_cookie: await page.evaluate('document.cookie'), cookies }));
await browser.close();
