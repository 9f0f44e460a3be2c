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
