// Real values: measurements and grey images from the file to parts, rows explained, and what is unknown predicted.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { violations, violationsText } from "./axe.ts";
import { patchwork, scratch, shot, visit } from "./studio.ts";
import { choose, clean, found, toRow, world } from "./world.ts";

const learnedWells = /Well|well|Row/;

/** Measurements of wells: two kinds of water, which may mix, and cells that are missing. */
function wells(): string {
  let state = 20;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647, normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  const lines = Array.from({ length: 80 }, (_, i) => {
    const salty = random() < 0.4, warm = random() < 0.3;
    const row = [warm ? 27 + normal() : 14 + normal(), warm ? 5.4 + 0.2 * normal() : 7 + 0.2 * normal(), salty ? 30 + 4 * normal() : 98 + 6 * normal(), salty ? 9 + 0.3 * normal() : 3 + 0.5 * normal(), 0.8 + 0.2 * normal()];
    return [`well ${i + 1}`, ...row.map((x) => (i > 2 && random() < 0.04 ? "" : x.toFixed(2)))].join(",");
  });
  return `well,temperature,acidity,depth,salt,iron\n${lines.join("\n")}\n`;
}

async function learn(page: Page, then: string): Promise<void> {
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  await page.getByRole("button", { name: then }).click({ timeout: 60_000 });
  await page.locator(".rowsview .rowparts").first().waitFor();
}

test("measurements: parts are learned, a row is explained, and what is made unknown is predicted", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  writeFileSync(join(scratch, "wells.csv"), wells());
  await page.locator("input[data-test=any-file]").setInputFiles(join(scratch, "wells.csv"));
  await page.getByRole("status").filter({ hasText: "80 rows of 5 columns" }).waitFor();
  await page.getByRole("button", { name: "Close what was opened" }).click();
  await learn(page, "Explain one row");

  await page.getByLabel("Row", { exact: false }).locator("visible=true").last().waitFor();
  const salt = page.getByRole("textbox", { name: "Value of salt" }), depth = page.getByRole("textbox", { name: "Value of depth" }), temperature = page.getByRole("textbox", { name: "Value of temperature" });
  await found(page, learnedWells);
  assert.ok(await page.getByRole("columnheader", { name: "among the usual values" }).isVisible(), "the bands that the legend speaks of");
  await depth.fill("30");
  await salt.fill("9");
  await temperature.fill("14");
  await found(page, /changed: .*part \d+/);
  await salt.fill("");
  await found(page, /1 unknown value is predicted/);
  const expected = Number((await page.locator("tr.unknown td.number").innerText()).split(" ")[0].trim());
  assert.ok(Math.abs(expected - 9) < 1, `salt of a shallow well: ${expected}`);
  await salt.fill("x1");
  assert.equal(await salt.getAttribute("aria-invalid"), "true");
  await page.getByRole("button", { name: "As it was" }).click();
  await page.waitForFunction(() => !/changed/.test(document.querySelector(".finding")?.textContent ?? ""));

  await page.getByRole("button", { name: "rename part 1" }).first().click();
  await page.getByRole("textbox", { name: "rename part 1" }).fill("brine");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => /brine/.test(document.querySelector(".rowparts")?.textContent ?? ""));
  assert.equal(violationsText(await violations(page)), "");
  await shot(page, "numbers-table-laptop-light", true);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "download the model", exact: true }).click();
  await (await download).saveAs(join(scratch, "wells-model.npz"));
  assert.match(patchwork("show", "wells-model.npz"), /brine/);
  await clean(v);
});

// The page counts parts from 1, the command's JSON from 0.
test("the page and the command explain rows alike", async () => {
  const v = await visit(world.browser, world.studio.url, "rows"), { page } = v;
  writeFileSync(join(scratch, "few.csv"), "well,temperature,acidity,depth,salt,iron\na,14.1,7.02,30.5,9.11,0.8\nb,27.3,5.41,97.5,2.9,0.9\nc,26.6,5.5,31,9.2,0.7\n");
  await page.locator("input[data-test=any-file]").setInputFiles(join(scratch, "wells-model.npz"));
  await page.waitForFunction(() => /wells-model/.test(document.querySelector<HTMLSelectElement>(".choose select")?.selectedOptions[0]?.textContent ?? ""));
  await page.locator("input[data-test=any-file]").setInputFiles(join(scratch, "few.csv"));
  await page.getByRole("heading", { name: "All rows" }).waitFor();
  await page.getByRole("link", { name: "Rows", exact: true }).click();
  await toRow(page, 1);
  const lines = patchwork("explain", "-m", "wells-model.npz", "few.csv").trim().split("\n").map((l) => JSON.parse(l) as { picks: { part: number }[] });
  for (const [i, line] of lines.entries()) {
    if (i > 0) await page.getByRole("button", { name: "Next row" }).click();
    await found(page, new RegExp(`^${"abc"[i]}: `));
    const shown = await page.locator(".rowparts .badge").allInnerTexts();
    assert.deepEqual(shown.map(Number).toSorted((a, b) => a - b), line.picks.map((p) => p.part + 1).toSorted((a, b) => a - b), `row ${i}`);
  }
  await clean(v);
});

test("grey images: parts are signed deviations, and a hidden half is predicted", async () => {
  let state = 7;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const rows = Array.from({ length: 60 }, (_, n) => Array.from({ length: 64 }, (__, i) => {
    const y = Math.floor(i / 8), x = i % 8, noise = random() + random() - 1;
    return (0.5 + (n % 3 === 1 && y > 1 && y < 6 && x > 0 && x < 4 ? 0.4 : 0) - (n % 4 === 0 && x > 4 ? 0.35 : 0) + 0.1 * noise).toFixed(3);
  }).join(","));
  writeFileSync(join(scratch, "grey.csv"), `${Array.from({ length: 64 }, (_, i) => `p${i}`).join(",")}\n${rows.join("\n")}\n`);
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  await page.locator("input[data-test=any-file]").setInputFiles(join(scratch, "grey.csv"));
  await page.locator(".reading .again summary").click();
  await page.getByLabel("The rows are images of").fill("8x8");
  await page.getByRole("button", { name: "Read again" }).click();
  await page.waitForFunction(() => /60 images of 8 × 8/.test(document.querySelector(".reading")?.textContent ?? ""));
  await page.getByRole("button", { name: "Close what was opened" }).click();
  await learn(page, "Explain one image");
  assert.match(await page.getByRole("link", { name: /^All 2 parts/ }).innerText(), /all images/, "two parts");
  await toRow(page, 1);
  await page.getByRole("button", { name: "Next image" }).click();
  await found(page, /^Image 2: part \d/);
  const before = await page.locator(".rowparts .badge").allInnerTexts();
  await page.getByRole("button", { name: "Hide the lower half" }).click();
  await found(page, /changed: .*32 unknown values are predicted/);
  assert.deepEqual(await page.locator(".rowparts .badge").allInnerTexts(), before, "half of the image shows the same parts");
  const box = (await page.locator(".hideable canvas").boundingBox())!;
  await page.mouse.move(box.x + box.width / 16, box.y + box.height / 16);
  await page.mouse.down();
  await page.mouse.up();
  await found(page, /33 unknown values/);
  assert.equal(violationsText(await violations(page)), "");
  await shot(page, "numbers-grey-laptop-light", true);
  for (const [device, viewport, colorScheme] of [["phone", { width: 390, height: 844 }, "light"], ["phone", { width: 390, height: 844 }, "dark"], ["laptop", { width: 1280, height: 800 }, "dark"]] as const) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    for (const set of [/grey\.csv/, /wells-model/]) {
      await choose(page, set);
      await found(page, /part|brine/);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= viewport.width, `${wide} pixels on a ${device}`);
      assert.equal(violationsText(await violations(page)), "", `${device}, ${colorScheme}`);
      await shot(page, `numbers-${set.source.slice(0, 3)}-${device}-${colorScheme}`, true);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await clean(v);
});
