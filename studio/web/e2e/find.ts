import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { patchwork, scratch, shot, visit } from "./studio.ts";
import { clean, found, world } from "./world.ts";

/** Draws a box on the page, in its pixels. */
async function box(page: Page, x: number, y: number, width: number, height: number): Promise<void> {
  await page.evaluate(() => scrollTo(0, 0));
  const at = (await page.locator(".sheet svg").boundingBox())!;
  const scale = at.width / (await page.locator(".sheet img").evaluate((i: HTMLImageElement) => i.naturalWidth));
  await page.mouse.move(at.x + x * scale, at.y + y * scale);
  await page.mouse.down();
  await page.mouse.move(at.x + (x + width) * scale, at.y + (y + height) * scale, { steps: 5 });
  await page.mouse.up();
}

test("one symbol is marked on a page, and all that look like it are found", async () => {
  patchwork("synth", "sheet", "--size", "640x960", "--symbols", "5", "--objects", "30", "--flip", "0", "--seed", "2", "-o", "page.png", "--model", "symbols.npz");
  patchwork("find", "-m", "symbols.npz", "page.png", "--turns", "--mirror", "-o", "all.csv");
  const rows = readFileSync(join(scratch, "all.csv"), "utf8").trim().split("\n").slice(1).map((l) => l.split(",")), squares = rows.filter((r) => r[1] === "1");
  assert.ok(squares.length > 2, "there are triangles in squares");

  const v = await visit(world.browser, world.studio.url, "find"), { page } = v;
  await found(page, /Draw a box around a symbol/);
  await page.locator("input[data-test=page]").setInputFiles(join(scratch, "page.png"));
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>(".sheet img")?.naturalWidth === 960 && /page.png, 960 × 640/.test(document.body.textContent ?? ""));
  const [top, left] = [Number(squares[0][3]), Number(squares[0][4])];
  await box(page, left + 2, top + 2, 46, 46);
  await found(page, new RegExp(`^${squares.length} places found`));
  assert.equal(await page.locator(".sheet .hit").count(), squares.length);
  assert.equal(await page.locator(".finder tbody tr").count(), squares.length);
  await page.getByRole("button", { name: /^Show find 1,/ }).click();
  assert.equal(await page.locator(".sheet .hit.chosen").count(), 1);
  await shot(page, "find-laptop-light", true);

  // By keyboard: the same box, as numbers, of a symbol as it lies.
  await page.getByLabel("left", { exact: true }).fill(String(left + 2));
  await page.getByLabel("top", { exact: true }).fill(String(top + 2));
  await page.getByLabel("width", { exact: true }).fill("46");
  await page.getByLabel("height", { exact: true }).fill("46");
  await page.getByRole("button", { name: "Find all" }).click();
  await found(page, new RegExp(`^${squares.length} places found`));

  // One more symbol and a counter-example are marked beside; the terminal finds the same.
  const other = rows.find((r) => r[1] !== "1")!;
  await page.getByLabel("The next box is").selectOption("one more symbol");
  await box(page, Number(other[4]) + 2, Number(other[3]) + 2, 46, 46);
  await page.waitForFunction(() => document.querySelectorAll(".sheet .example").length === 2 && /places? found/.test(document.querySelector(".finding")?.textContent ?? ""));
  assert.match(await page.locator(".finder code").innerText(), new RegExp(`^patchwork find page.png --symbol ${left + 2},${top + 2},46,46 --symbol .* --turns --mirror`));
  await page.getByRole("button", { name: "Take the last away" }).click();
  await page.getByLabel("The next box is").selectOption("a counter-example");
  await box(page, Number(other[4]) + 2, Number(other[3]) + 2, 46, 46);
  await page.waitForFunction(() => document.querySelectorAll(".sheet .rival").length === 1 && !/Searching/.test(document.querySelector(".finding")?.textContent ?? ""));
  await found(page, new RegExp(`^${squares.length} places found`));
  await shot(page, "find-rival-laptop-light", true);
  await page.setViewportSize({ width: 390, height: 844 });
  await shot(page, "find-rival-phone-light", true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByLabel("The next box is").selectOption("the symbol");

  // Nothing but paper is no example.
  await box(page, 1, 1, 6, 6);
  await page.waitForFunction(() => /no ink|Nothing was found/.test(document.querySelector(".finder")?.textContent ?? ""));
  await page.getByRole("button", { name: "Example drawing" }).click();
  await found(page, /Draw a box around a symbol/);
  v.trouble.splice(0, v.trouble.length, ...v.trouble.filter((t) => !/422/.test(t))); // what the browser says of a refused example
  await clean(v);
});
