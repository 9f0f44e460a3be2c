// The one server and browser that all end-to-end tests share, and what they have in common.
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { browser, here, OnDisk, patchwork, pictures, scratch, stroke, Studio, type Watched } from "./studio.ts";

/** Filled before the first test. */
export const world = {} as { browser: Browser; studio: Studio | OnDisk };

before(async () => {
  world.studio = here ? new OnDisk() : new Studio("-q");
  const starting = Promise.all([browser(), world.studio.start()]); // while the server learns its first models
  // A letter of four strokes, for the speed of a model with four experts.
  patchwork("synth", "letters", "--letters", "E", "--writers", "12", "--seed", "1", "-o", "e.npz");
  patchwork("learn", "e.npz", "-o", "e-model.npz", "--experts", "4", "--shift", "14", "--rotate", "24:6", "--starts", "2", "--seed", "1");
  [world.browser] = await starting;
});

after(async () => {
  await world.browser?.close();
  await world.studio?.kill();
  if (pictures) console.log(`screenshots are in ${pictures}`);
  rmSync(join(scratch, "patchwork"), { force: true });
});

export const canvas = ".stage canvas";
/** Goes to a row by its number. */
export async function toRow(page: Page, n: number): Promise<void> {
  const field = page.locator(".picker input[type=number]");
  await page.waitForFunction(() => { // where it begins, in the address and then on the page
    const shown = document.querySelector<HTMLInputElement>(".picker input[type=number]")?.value;
    return shown !== undefined && /row=(\d+)/.exec(location.hash)?.[1] === shown;
  });
  await field.fill(String(n));
  await field.press("Enter");
}

export const finding = (page: Page) => page.locator(".finding").innerText();

/** Waits until the sentence that says what was found matches. */
export async function found(page: Page, what: RegExp): Promise<string> {
  try {
    await page.waitForFunction((re) => new RegExp(re).test(document.querySelector(".finding")?.textContent ?? ""), what.source);
  } catch (error) {
    throw new Error(`waiting for ${what}, the page says: ${await page.locator("main").innerText()}`, { cause: error });
  }
  return finding(page);
}

export async function choose(page: Page, name: RegExp): Promise<void> {
  const select = page.getByRole("combobox", { name: "Model" }), option = select.locator("option", { hasText: name });
  await option.waitFor({ state: "attached" });
  await select.selectOption(await option.getAttribute("value"));
}

/** A stroke on the canvas of the Draw view, up to its explanation on the screen. */
export async function draw(page: Page, points: [number, number][]): Promise<void> {
  const shown = () => performance.getEntriesByName("stroke-to-explanation").length, shownBefore = await page.evaluate(shown);
  await stroke(page, canvas, points);
  await page.waitForFunction((n) => performance.getEntriesByName("stroke-to-explanation").length > n, shownBefore);
}

export async function drawT(page: Page, where: string, lean = 0): Promise<void> {
  await stroke(page, where, [[0.15, 0.14 + lean / 3], [0.85, 0.14 - lean / 3]]);
  await stroke(page, where, [[0.5 + lean / 2, 0.16], [0.5 - lean / 2, 0.9]]);
}

export async function clean({ page, trouble }: Watched): Promise<void> {
  assert.deepEqual(trouble, []);
  await page.goto("about:blank");
}
