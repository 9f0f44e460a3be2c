import assert from "node:assert/strict";
import { test } from "node:test";
import { violations, violationsText } from "./axe.ts";
import { shot, stroke, visit } from "./studio.ts";
import { clean, drawT, found, world } from "./world.ts";

const pad = ".pad canvas";

test("a symbol drawn five times is recognised the sixth time, and why", async () => {
  const v = await visit(world.browser, world.studio.url, "classes", { viewport: { width: 1280, height: 1100 } }), { page } = v;
  const drawZ = async (lean: number) => {
    await stroke(page, pad, [[0.2, 0.2 + lean], [0.8, 0.2], [0.22 + lean, 0.8], [0.8, 0.82 - lean]]);
  };
  for (let i = 0; i < 5; i++) {
    await drawT(page, pad, (i - 2) * 0.05);
    if (i === 0) {
      await page.getByLabel("Name of the symbol").fill("T");
      await page.getByRole("button", { name: "Add this drawing", exact: true }).click();
    } else await page.getByRole("button", { name: "Add this drawing to T" }).click();
    await found(page, /second symbol/);
  }
  assert.equal(await page.locator("section[aria-label='Symbol T'] .tile").count(), 5);
  for (let i = 0; i < 5; i++) {
    await drawZ((i - 2) * 0.03);
    if (i === 0) {
      await page.getByLabel("Name of the symbol").fill("lightning");
      await page.getByRole("button", { name: "Add this drawing", exact: true }).click();
    } else await page.getByRole("button", { name: "Add this drawing to lightning" }).click();
    await found(page, /what is it/);
  }
  await drawZ(0.02);
  assert.match(await found(page, /^It is lightning, >?\d/), /% sure/);
  // The ink has the colours of the pieces that explain it.
  await page.waitForFunction((at) => {
    const c = document.querySelector<HTMLCanvasElement>(at) as HTMLCanvasElement, d = (c.getContext("2d") as CanvasRenderingContext2D).getImageData(0, 0, c.width, c.height).data;
    for (let i = 0; i < d.length; i += 4) if (Math.abs(d[i] - d[i + 2]) > 60) return true;
    return false;
  }, pad);
  const why = await page.getByLabel("What it is, and why").innerText();
  assert.match(why, /pieces? of that drawing, moved and turned/);
  assert.match(why, /Second comes T, [\d.]+ nats behind/);
  assert.equal(violationsText(await violations(page)), "");
  await shot(page, "classes-lightning-laptop-light", true);
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 390, `${wide} pixels on a phone`);
  await shot(page, "classes-lightning-phone-light", true);

  // Another drawing is another symbol; without drawings a symbol is gone.
  await page.getByRole("button", { name: "Clear" }).click();
  await drawT(page, pad, 0.03);
  await found(page, /^It is T, /);
  for (let i = 5; i > 0; i--) await page.getByRole("button", { name: `Remove drawing ${i} of lightning` }).click();
  await found(page, /second symbol/);
  await clean(v);
});
