// Opens pages in Chromium and prints as JSON what happened: node page_probe.cjs audit|open FILE...
const fs = require("node:fs");
const { chromium } = require("playwright-core");

async function probe(browser, file) {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  const events = [];
  page.on("console", (message) => events.push(`console: ${message.text()}`));
  page.on("dialog", (dialog) => { events.push("dialog"); dialog.dismiss(); });
  page.on("pageerror", (error) => events.push(`error: ${error.message}`));
  page.on("request", (request) => { if (request.url() !== `file://${file}`) events.push(`request: ${request.url().slice(0, 200)}`); });
  await page.goto(`file://${file}`);
  const facts = await page.evaluate(() => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    return {
      canary: typeof window.canary,
      width: document.documentElement.scrollWidth,
      color: getComputedStyle(document.body).color,
      active: document.querySelectorAll("script, img, iframe, object, embed, a, form, input, [onload], [onerror], [style]").length,
    };
  });
  await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = false; });
  await page.emulateMedia({ media: "print" });
  facts.printed = await page.evaluate(() => [...document.querySelectorAll("details > div")].every((part) => part.checkVisibility()));
  await context.close();
  return { events, ...facts };
}

async function audit(browser, file, colorScheme) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme, bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  await page.evaluate(() => { for (const details of document.querySelectorAll("details")) details.open = true; });
  await page.addScriptTag({ content: fs.readFileSync(require.resolve("axe-core"), "utf8") });
  const result = await page.evaluate(() => window.axe.run());
  await context.close();
  return result.violations.filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => `${each.id}: ${each.nodes[0].html.slice(0, 200)}`);
}

(async () => {
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  const answers = [];
  const [task, ...files] = process.argv.slice(2);
  for (const file of files) {
    const schemes = task === "audit" ? ["light", "dark"] : [];
    const violations = [];
    for (const scheme of schemes) violations.push(...await audit(browser, file, scheme));
    answers.push({ ...await probe(browser, file), violations });
  }
  await browser.close();
  console.log(JSON.stringify(answers));
})();
