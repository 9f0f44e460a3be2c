// How every view looks: accessibility by axe-core, screenshots, nothing wider than a phone.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { violations, violationsText } from "./axe.ts";
import { schemes, shot, visit } from "./studio.ts";
import { clean, world } from "./world.ts";

/** What must be on a view before it is looked at. */
const ready: Record<string, string> = {
  start: ".cards .main", draw: ".picks > li", experts: ".expert canvas, .expert .strength", sample: ".sample .strip canvas", learn: ".pad canvas", classes: ".pad canvas", rules: ".rules .chart polyline", rows: ".rowparts li", find: ".sheet img",
};

async function settle(page: Page, view: string): Promise<void> {
  await page.locator(ready[view]).first().waitFor();
  if (view === "experts") {
    await page.getByRole("button", { name: "Details… of part 1" }).first().click();
    await page.getByRole("heading", { name: "Explains best" }).waitFor();
  }
  if (view === "rows") await page.getByRole("checkbox").first().press("?");
  await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))); // what was asked for is painted
}

for (const colorScheme of schemes) {
  for (const [device, viewport] of [["laptop", { width: 1280, height: 800 }], ["phone", { width: 390, height: 844 }]] as const) {
    test(`every view, ${device}, ${colorScheme}: accessible, and no wider than the screen`, async () => {
      const v = await visit(world.browser, world.studio.url, "", { viewport, colorScheme, hasTouch: device === "phone" });
      for (const view of Object.keys(ready)) {
        await v.page.evaluate((to) => { location.hash = `#/${to}`; }, view);
        await settle(v.page, view);
        assert.equal(violationsText(await violations(v.page)), "", view);
        const wide = await v.page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= viewport.width, `${view}: ${wide} pixels on a ${device} of ${viewport.width}`);
        await shot(v.page, `${view}-${device}-${colorScheme}`, true);
      }
      await clean(v);
    });
  }
}

/** What is focused, in words, and whether a person sees that it is. */
const focused = (page: Page) => page.evaluate(() => {
  const at = document.activeElement as HTMLElement, style = getComputedStyle(at), box = at.getBoundingClientRect();
  return { what: `${at.tagName} ${at.getAttribute("aria-label") ?? at.textContent?.trim().slice(0, 40) ?? ""}`, body: at === document.body,
    seen: box.width === 0 || style.outlineStyle !== "none" || style.boxShadow !== "none" || at.matches("main") };
});

test("every view by the keyboard alone: the tabs, and all that can be clicked, are reached and seen", async () => {
  const v = await visit(world.browser, world.studio.url, "start"), { page } = v;
  await page.locator(ready.start).first().waitFor();
  for (const tab of ["Explore", "Learn", "Rows", "Classify", "Find", "How it works"]) {
    await page.evaluate(() => { (document.activeElement as HTMLElement).blur(); });
    for (let i = 0; i < 20 && (await focused(page)).what !== `A ${tab}`; i++) await page.keyboard.press("Tab");
    assert.equal((await focused(page)).what, `A ${tab}`, "the tab is reached");
    await page.keyboard.press("Enter");
    await page.waitForFunction((t) => document.querySelector("header nav [aria-current=page]")?.textContent === t, tab);
    await page.waitForFunction(() => document.querySelector("main button, main input, main select, main a, main canvas"));
    const reached = await page.evaluate(() => document.querySelectorAll("main :is(button, a[href], input, select, [tabindex='0']):not([disabled], [hidden])").length);
    assert.ok(reached > 0, tab);
    const stops = new Set<string>();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      const now = await focused(page);
      if (now.body) break;
      assert.ok(now.seen, `${tab}: ${now.what} has the focus, and nothing shows it`);
      stops.add(now.what);
    }
    assert.ok(stops.size >= Math.min(3, reached), `${tab}: the keyboard reaches ${[...stops].join(", ")}`);
  }
  await clean(v);
});

test("every view at 200 %: nothing is cut, nothing scrolls sideways", async () => {
  const viewport = { width: 640, height: 400 }, v = await visit(world.browser, world.studio.url, "", { viewport, deviceScaleFactor: 2 });
  for (const view of Object.keys(ready)) {
    await v.page.evaluate((to) => { location.hash = `#/${to}`; }, view);
    await settle(v.page, view);
    const wide = await v.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= viewport.width, `${view}: ${wide} pixels of ${viewport.width}`);
    const cut = await v.page.evaluate(() => [...document.querySelectorAll<HTMLElement>("main button, main h2, main p, main label, nav a, header button")]
      .filter((e) => e.offsetParent && !e.closest(".hidden, .scroll, .tall, .skip, dialog") && (e.getBoundingClientRect().right > innerWidth + 1 || (getComputedStyle(e).overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1)))
      .map((e) => e.outerHTML.slice(0, 90)));
    assert.deepEqual(cut, [], `${view}: cut at 200 %`);
    await shot(v.page, `${view}-zoomed`, true);
  }
  await clean(v);
});
