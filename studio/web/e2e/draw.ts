import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { here, scratch, shot, visit } from "./studio.ts";
import { canvas, choose, clean, draw, found, world } from "./world.ts";

test("the first visit shows three ways in; the first leads to an example, explained", async () => {
  const v = await visit(world.browser, world.studio.url, "");
  assert.deepEqual(await v.page.locator(".cards h2").allInnerTexts(), ["Drawings", "A table", "Measurements"]);
  await v.page.getByRole("button", { name: "See an example" }).first().click();
  await found(v.page, /^Two parts explain it/);
  assert.match(await v.page.locator(".under").innerText(), /example \d+/);
  await v.page.getByRole("button", { name: "Explain example 3" }).click();
  await v.page.waitForFunction(() => /example 3/.test(document.querySelector(".under")?.textContent ?? ""));
  await found(v.page, /parts? explain/);
  assert.equal(await v.page.locator(".examples [aria-current]").getAttribute("aria-label"), await v.page.getByRole("button", { name: "Explain example 3" }).getAttribute("aria-label"));
  assert.doesNotMatch(await v.page.locator(".under").innerText(), /\d\.\d{4}/, "numbers among the labels are rounded");
  await clean(v);
});

test("drawing a T shows two strokes, and who speaks; undo, redo, clear, keyboard", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await choose(page, /letter T/);
  await found(page, /Two parts/);
  await page.getByRole("button", { name: "Clear" }).click();
  await found(page, /The image is empty/);
  await draw(page, [[0.5, 0.16], [0.5, 0.9]]);
  assert.match(await found(page, /^One part explains/), /part \d/);

  // The explanation follows while the pen is still down.
  const at = (await page.locator(canvas).boundingBox())!;
  await page.mouse.move(at.x + 0.15 * at.width, at.y + 0.14 * at.height);
  await page.mouse.down();
  await page.mouse.move(at.x + 0.85 * at.width, at.y + 0.14 * at.height, { steps: 12 });
  await found(page, /^Two parts explain/);
  await page.mouse.up();
  await page.getByRole("button", { name: "Undo" }).click();
  await found(page, /^One part/);

  await draw(page, [[0.15, 0.14], [0.85, 0.14]]);
  const two = await found(page, /^Two parts explain/);
  assert.equal(await page.locator(".picks > li").count(), 2);
  await page.mouse.move(0, 0);
  await shot(page, "draw-own-t-laptop-light");

  const box = (await page.locator(canvas).boundingBox())!;
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.6 * box.height);
  await page.waitForFunction(() => /ink; part \d decides, ink is \d+ % likely/.test(document.querySelector(".under")?.textContent ?? ""));

  await page.getByRole("button", { name: "Undo" }).click();
  await found(page, /^One part/);
  await page.getByRole("button", { name: "Redo" }).click();
  assert.equal(await found(page, /^Two parts/), two);

  // By keyboard: the pen starts in the middle; down, then a stem from there.
  await page.getByRole("button", { name: "Clear" }).click();
  await found(page, /empty/);
  await page.locator(canvas).focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Space");
  for (let i = 0; i < 8; i++) await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Space");
  await found(page, /^One part/);
  await page.keyboard.press("Control+z");
  await found(page, /empty/);
  await clean(v);
});

test("the keyboard's pen does not outlive its model", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v, under = () => page.locator(".under").innerText();
  await choose(page, /letter T/);
  await found(page, /parts? explain/);
  await page.locator(canvas).focus();
  for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => /^row \d+, column \d+: ink/.test(document.querySelector(".under")?.textContent ?? ""));
  await choose(page, /Quadrants/);
  await found(page, /parts? explain/);
  assert.doesNotMatch(await under(), /undefined|^row/);

  // Nor its focus.
  await page.locator(canvas).focus();
  await page.keyboard.press("ArrowDown");
  assert.match(await under(), /^row \d+, column \d+: (ink|paper)/);
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => !(document.querySelector(".under")?.textContent ?? "").startsWith("row"));
  await clean(v);
});

test("stepping through the pursuit", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await found(page, /Two parts/);
  const picture = () => page.locator(canvas).evaluate((c: HTMLCanvasElement) => c.toDataURL());
  const slider = page.getByRole("slider", { name: "Picks shown" }), seen = [await picture()];
  assert.equal(await slider.getAttribute("aria-valuetext"), "2 of 2 picks");
  await slider.focus();
  for (const left of [1, 0]) {
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction((n) => document.querySelector(".steps output")?.textContent === `${n} of 2`, left);
    seen.push(await picture());
    if (left === 1) await shot(page, "pursuit-laptop-light");
  }
  assert.equal(new Set(seen).size, 3, "each step has its own picture");
  await page.getByRole("button", { name: /^Pick 2/ }).click();
  assert.equal(await page.locator(".steps output").innerText(), "2 of 2");
  assert.equal(await picture(), seen[0]);
  await clean(v);
});

test("the pursuit plays by itself on the first visit, where motion is welcome", async () => {
  const v = await visit(world.browser, world.studio.url, "draw", { reducedMotion: "no-preference" });
  for (const n of [0, 1, 2]) await v.page.waitForFunction((step) => document.querySelector(".steps output")?.textContent === `${step} of 2`, n);
  await clean(v);
});

test("an explanation within 50 ms of a stroke's end", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await page.locator("[data-test=any-file]").setInputFiles(join(scratch, "e-model.npz"));
  await page.waitForFunction(() => /4 parts/.test((document.querySelector(".choose select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? ""));
  await page.getByRole("button", { name: "Clear" }).click();
  await found(page, /empty/);
  const strokes = 24;
  for (let i = 0; i < strokes; i++) {
    if (i % 4 === 0) await page.getByRole("button", { name: "Clear" }).click();
    const y = [0.1, 0.5, 0.88][i % 3] + 0.01 * (i % 5);
    await draw(page, i % 4 === 0 ? [[0.2, 0.1], [0.2 + 0.01 * (i % 5), 0.9]] : [[0.2, y], [0.8 - 0.01 * i, y]]);
  }
  const took = (await page.evaluate(() => performance.getEntriesByName("stroke-to-explanation").map((e) => e.duration))).sort((a, b) => a - b);
  const limit = here ? 500 : 150; // without vector code, and in one thread with the page's other work
  const median = took[Math.floor(took.length / 2)], most = took[took.length - 1];
  console.log(`stroke to explanation, 56 x 56, 4 experts, ${took.length} strokes: median ${median.toFixed(1)} ms, max ${most.toFixed(1)} ms (target 50; fails at a median of ${limit})`);
  assert.equal(took.length, strokes);
  assert.ok(median < limit, `median ${median} ms: ${limit / 50} times the target`);
  await clean(v);
});
