// What somebody meets who has never seen the page: a messy table, Learn with the data at hand, the curve of learning, the header.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { scratchFile, shot, visit } from "./studio.ts";
import { picture } from "./people.ts";
import { clean, found, world } from "./world.ts";

/** Sixty-two people: a name and a date, two columns of numbers, with a word among them, five of yes and no; semicolons, empty cells and a byte order mark. */
function messy(): string {
  let seed = 11;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const said = (p: number) => (random() < 0.06 ? "" : random() < p ? "ja" : "nein");
  const rows = Array.from({ length: 62 }, (_, i) => [`Person ${i}`, `${String(1 + (i % 28)).padStart(2, "0")}.03.2024`, i % 9 === 0 ? "" : 20 + (i * 7) % 50, i === 40 ? "viel" : (5 + 900 * random()).toFixed(2).replace(".", ","),
    ...[0.9, 0.8, 0.1, 0.2, 0.5].map((p) => said(i % 2 === 0 ? p : 1 - p))].join(";"));
  return `\uFEFFName;Datum;Alter;Betrag;Raucher;Sport;Haustier;Garten;Auto\r\n${rows.join("\r\n")}\r\n`;
}

/** What the selects of the columns say. */
const roles = (page: Page) => page.locator(".plan tbody tr")
  .evaluateAll((all) => all.map((l) => `${l.querySelector("th")?.textContent}: ${l.querySelector("select")?.selectedOptions[0].textContent}`).join(", "));

test("a messy table: the columns are shown as they were understood, and are what one says", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  await page.locator(".setup").waitFor();
  await page.locator("[data-test=any-file]").setInputFiles(scratchFile("messy.csv", messy()));
  await page.getByRole("status").filter({ hasText: /^62 rows of 7 columns/ }).waitFor();
  await page.getByText("1 cell is taken as unknown in Betrag: viel").waitFor();
  const bits = "Raucher: yes or no, Sport: yes or no, Haustier: yes or no, Garten: yes or no, Auto: yes or no";
  assert.match(await roles(page), new RegExp(`^Name: a label, Datum: a label, Alter: counts, Betrag: numbers, ${bits}$`));
  const again = async (said: string, choices: Record<string, string>) => {
    for (const [column, role] of Object.entries(choices)) await page.getByRole("combobox", { name: `What ${column} is` }).selectOption({ label: role });
    await page.waitForFunction((s) => document.querySelector(".reading [role=status]")?.textContent === s, said);
  };
  await again("62 rows of 5 columns", { Alter: "a label", Betrag: "a label" });
  await shot(page, "messy-read-laptop-light", true);
  await again("62 rows of 4 columns", { Auto: "left out" });
  assert.equal(await roles(page), `Name: a label, Datum: a label, Alter: a label, Betrag: a label, ${bits.replace("Auto: yes or no", "Auto: left out")}`);
  await clean(v);
});

/** A T of 120 x 100 pixels, a little elsewhere each time. */
function bigT(n: number): ReturnType<typeof picture> {
  const top = 15 + (n * 5) % 14, middle = 44 + (n * 7) % 13;
  const ink = (y: number, x: number) => (y >= top && y < top + 6 && Math.abs(x - middle) < 34) || (y >= top && y < top + 80 && Math.abs(x - middle) < 3);
  return picture(`t${n}.tif`, 100, (y, x) => (ink(y, x) ? 0 : 255), 120);
}

test("what people bring is learned as the page proposes, or refused in words", async () => {
  const v = await visit(world.browser, world.studio.url, "start"), { page } = v, input = page.locator("[data-test=any-file]");
  for (const [files, said, all] of [
    [[{ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(messy()) }], "62 rows of 7 columns", "All rows"],
    [Array.from({ length: 24 }, (_, i) => bigT(i)), "24 images of 120 × 100 pixels", "All images"],
  ] as const) {
    await page.evaluate(() => { location.hash = "#/learn"; });
    await page.waitForFunction(() => document.querySelector("h1")?.textContent === "Learn");
    await input.setInputFiles([...files]);
    await page.getByRole("status").filter({ hasText: said }).waitFor();
    await page.getByRole("button", { name: "Learn", exact: true }).click();
    await page.getByRole("button", { name: /^See all/ }).click({ timeout: 60_000 });
    await page.getByRole("heading", { name: all }).waitFor();
    await page.locator(".overview .rowmap tbody tr, .overview .wall canvas").first().waitFor();
  }
  for (const [name, text, said] of [["empty.csv", "", /empty\.csv was not read: .*empty/], ["letter.txt", "Dear all,\n\nno table.\nWith a comma, or two, here.\n", /letter\.txt was not read/]] as const) {
    await input.setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.getByRole("alert").filter({ hasText: said }).waitFor();
  }
  v.trouble.splice(0); // the browser reports refused requests
  await clean(v);
});

test("Learn begins with the data of the table's model; the curve of learning never falls", async () => {
  const v = await visit(world.browser, world.studio.url, "rows?model=baskets"), { page } = v;
  await found(page, /part/);
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "Learn" }).click();
  const from = page.locator(".setup select").first();
  await page.waitForFunction(() => document.querySelector<HTMLSelectElement>(".setup select")?.value === "baskets");
  await from.selectOption({ label: "ten examples that I draw" });
  await page.locator(".pad canvas").waitFor();
  await from.selectOption("baskets");
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  await page.getByRole("button", { name: "Download the model" }).waitFor();
  const line = (await page.locator(".chart polyline").getAttribute("points") ?? "").split(" ").map((p) => p.split(",").map(Number));
  assert.ok(line.every(([x, y], i) => i === 0 || (x >= line[i - 1][0] && y <= line[i - 1][1])), "the best so far never falls");
  assert.equal(await page.locator(".chart circle").count(), new Set(line.map(([x]) => x)).size, "a point for each model tried");
  await page.locator(".run").scrollIntoViewIfNeeded();
  await shot(page, "curve-laptop-light", true);
  await clean(v);
});

test("the header is one line beside a scrollbar; on a phone the menu stays together", async () => {
  for (const width of [1265, 390]) {
    const v = await visit(world.browser, world.studio.url, "rows?model=baskets", { viewport: { width, height: 800 } }), { page } = v;
    await found(page, /part/);
    const box = async (what: string) => (await page.locator(what).boundingBox())!;
    if (width > 1000) assert.ok((await box("header")).height < 60, "one line");
    else assert.ok((await box(".choose select")).width > 300, "the name of a model has the width of the phone");
    const links = await Promise.all((await page.locator("nav a").all()).map(async (l) => (await l.boundingBox())!));
    for (const [i, l] of links.entries()) if (i > 0 && l.y === links[i - 1].y) assert.ok(l.x - links[i - 1].x - links[i - 1].width < 12, `a gap before link ${i} at ${width} pixels`);
    await clean(v);
  }
});
