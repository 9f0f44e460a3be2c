// A table of people's own, from the file to a named part; pictures, several at once; the address.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { patchwork, scratch, scratchFile, shot, stroke, Studio, visit, serverOnly } from "./studio.ts";
import { canvas, choose, clean, found, world } from "./world.ts";

const species = ["Vaccinium vitis-idaea subspecies minus", "Carex bromoides subspecies bromoides", "Symphyotrichum laeve var. concinnum", "Teucrium canadense var. canadense", "Potamogeton strictifolius",
  "Heliopsis helianthoides", "Triosteum aurantiacum var. illinoense", "Poa lettermanii", "Kobresia myosuroides", "Uvularia grandiflora", "Geum canadense", "Salix"];

/** Ninety sites: a third of them bogs, where the first four species grow, another meadows with the next five. */
function sites(header = true): string {
  let seed = 7;
  const chance = (p: number) => ((seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647 < p ? 1 : 0);
  const rows = Array.from({ length: 90 }, (_, i) => {
    const bits = species.map((_s, j) => chance(i % 3 === 0 && j < 4 ? 0.95 : i % 3 === 1 && j >= 4 && j < 9 ? 0.95 : 0.04));
    return (header ? [`Site number ${i + 1}`, ...bits] : bits).join(",");
  });
  return [...(header ? [["site", ...species].join(",")] : []), ...rows, ""].join("\n");
}

async function upload(page: Page, name: string, content: string): Promise<void> {
  await page.locator("[data-test=any-file]").setInputFiles(scratchFile(name, content));
  await page.getByRole("region", { name: "What was opened" }).waitFor();
}

/** Elements whose text is wider or higher than they are. */
const clipped = (page: Page) => page.evaluate(() => [...document.querySelectorAll<HTMLElement>(".strength .name, .strength .value, .bit, .bit .name, .partname, .allcolumns th, .allcolumns td, h2")]
  .filter((e) => e.offsetParent && getComputedStyle(e).display !== "inline" && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1)).map((e) => e.textContent));

/** What the walks share: a table read, learned and explained in the page. */
let table: { model: string; data: string };

test("a table with names of rows: opened, learned, explained in words", async () => {
  const v = await visit(world.browser, world.studio.url, ""), { page } = v;
  await upload(page, "sites.csv", sites());
  await page.getByRole("status").filter({ hasText: "90 rows of 12 columns" }).waitFor();
  assert.equal(await page.getByRole("combobox", { name: "What site is" }).inputValue(), "label");
  await page.waitForFunction(() => /^#\/learn\?data=d\d+$/.test(location.hash));
  await shot(page, "opened-table-laptop-light");
  await upload(page, "bad.csv", "a,b\n1,0\n0,1,1\n");
  await page.getByRole("alert").filter({ hasText: "bad.csv was not read" }).waitFor();
  const from = () => page.evaluate(() => (document.querySelector(".setup select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? "");
  assert.match(await from(), /sites/, "Learn keeps what was chosen");
  await page.getByText("“bad.csv” was not read; what is learned from is still “sites.csv”.").waitFor();
  await upload(page, "sites.csv", sites().replace("Site number 90,", "Site number ninety,"));
  await page.waitForFunction(() => /sites\.csv · 2/.test((document.querySelector(".setup select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? ""));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  const title = page.getByRole("heading", { name: "Learned: sites.csv" });
  await title.waitFor({ timeout: 60_000 });
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("Learned"));
  await page.waitForTimeout(50);
  const at = await title.boundingBox();
  assert.ok(at && at.y >= 0 && at.y < 844, `the result is at ${at?.y}, off the screen`);
  await shot(page, "learned-table-phone-light");
  await page.getByRole("button", { name: "See all rows by them" }).click();
  await page.getByRole("region", { name: "Rows and their parts" }).getByRole("link", { name: "Site number 1", exact: true }).click();
  await page.getByRole("heading", { name: "Site number 1", exact: true }).waitFor();
  const said = await found(page, /^Site number 1: part \d \w/);
  assert.match(said, /because of (Vaccinium|Carex|Symphyo|Teucrium)[^;]*\./);
  assert.deepEqual(await clipped(page), []);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const hash = await page.evaluate(() => location.hash);
  const [, model, data] = /^#\/rows\?model=(m\d+)&data=(d\d+)&row=1$/.exec(hash) ?? assert.fail(hash);
  table = { model, data };
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.deepEqual(await clipped(page), []);
  assert.deepEqual(await page.getByRole("navigation", { name: "Views" }).getByRole("link").allInnerTexts(), ["Explore", "Learn", "Rows", "Classify", "Find", "How it works"]);
  await clean(v);
});

test("a row found by name; an address leads there, and the back button back", serverOnly, async () => {
  const v = await visit(world.browser, world.studio.url, `rows?model=${table.model}&data=${table.data}&row=3`), { page } = v;
  await page.getByRole("heading", { name: "Site number 3", exact: true }).waitFor();
  await page.getByRole("combobox", { name: "Find a row by name" }).fill("number 82");
  await page.waitForFunction(() => document.querySelector("datalist option")?.getAttribute("value") === "Site number 82 · row 82");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Site number 82", exact: true }).waitFor();
  assert.match(await page.evaluate(() => location.hash), /row=82$/);
  await page.getByRole("link", { name: "How it works" }).click();
  await page.getByRole("heading", { name: "Two votes" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Site number 82", exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Site number 3", exact: true }).waitFor();
  await clean(v);
});

test("a part is named, and the name is everywhere; it opens in full", serverOnly, async () => {
  const v = await visit(world.browser, world.studio.url, `rows?model=${table.model}&data=${table.data}&row=1`), { page } = v;
  const k = /part (\d+)/.exec(await found(page, /^Site number 1: part \d+/))![1];
  await page.getByRole("button", { name: `rename part ${k}` }).click();
  await page.getByRole("textbox", { name: `rename part ${k}` }).fill("raised bog, acid");
  await page.keyboard.press("Enter");
  await found(page, new RegExp(`^Site number 1: raised bog, acid \\(part ${k}\\) because of`));
  const kept = page.locator(".rowparts li").filter({ hasText: "raised bog" }).getByText("This name is on the server only");
  await kept.waitFor();
  await shot(page, "part-named-laptop-light", true);
  await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "download the model", exact: true }).click()]);
  await kept.waitFor({ state: "detached" });
  await page.reload();
  await found(page, /raised bog, acid/);
  await page.getByRole("link", { name: /^All \d+ parts/ }).click();
  await page.locator(".gallery .card").filter({ hasText: "raised bog" }).getByRole("button", { name: /Details…/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Explains best" }).waitFor();
  assert.match(await page.evaluate(() => location.hash), new RegExp(`part=${k}$`));
  const names = () => dialog.locator("tbody th").allInnerTexts(), all = await names();
  assert.ok(all.length >= 4, all.join());
  await dialog.getByRole("button", { name: "column", exact: true }).click();
  assert.deepEqual(await names(), all.toSorted((a, b) => a.localeCompare(b)));
  await dialog.getByRole("searchbox").fill("vaccin");
  assert.deepEqual(await names(), [species[0]]);
  assert.deepEqual(await clipped(page), []);
  await shot(page, "part-in-full-laptop-light");
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.doesNotMatch(await page.evaluate(() => location.hash), /part=/);
  await page.goBack();
  assert.equal(await dialog.count(), 0, "the back button does not open the part again");
  assert.doesNotMatch(await page.evaluate(() => location.hash), /part=/);

  // The file keeps the name; models are renamed, and removed after a question.
  await page.getByRole("button", { name: "Manage…" }).click();
  const line = dialog.getByRole("listitem").filter({ hasText: "sites.csv" }).first();
  await line.getByRole("button", { name: /^sites\.csv/ }).click();
  await page.getByRole("textbox", { name: "rename the model sites.csv" }).fill("Sites of 2026");
  await page.keyboard.press("Enter");
  const renamed = dialog.getByRole("listitem").filter({ hasText: "Sites of 2026" });
  const [download] = await Promise.all([page.waitForEvent("download"), renamed.getByRole("button", { name: "Download" }).click()]);
  assert.equal(download.suggestedFilename(), "Sites-of-2026.npz");
  await download.saveAs(join(scratch, "named.npz"));
  assert.match(patchwork("show", "named.npz"), /raised bog, acid/);
  await shot(page, "manage-laptop-light");
  await renamed.getByRole("button", { name: "Remove Sites of 2026", exact: true }).click();
  await renamed.getByRole("button", { name: "Keep" }).click();
  await renamed.getByRole("button", { name: "Remove Sites of 2026", exact: true }).click();
  await renamed.getByRole("button", { name: "Remove Sites of 2026 for good" }).click();
  await renamed.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Close" }).click();
  assert.ok(!(await page.getByRole("combobox", { name: "Model" }).innerText()).includes("2026"));
  await clean(v);
});

test("a model and data named at the start: the page opens with them; a table without names counts its columns", serverOnly, async () => {
  const own = new Studio("-q", "named.npz", "sites.csv");
  await own.start();
  try {
    const v = await visit(world.browser, own.url, ""), { page } = v;
    await found(page, /^Site number \d+: /); // a row that shows much
    assert.match(await page.evaluate(() => location.hash), /^#\/rows\?model=m1/);
    // Data opened now are read like those of the model: its columns by name, in any order; what does not fit is said, and read by itself.
    const rows = sites().trim().split("\n").map((l) => l.split(","));
    await upload(page, "turned.csv", rows.map((r) => [...r.slice(1).toReversed(), r[0]].join(",")).join("\n") + "\n");
    await page.getByText("read as the data that “named” was learned from").waitFor();
    await page.waitForFunction(() => location.hash.startsWith("#/experts?model=m1&data=d2"));
    await page.getByRole("link", { name: "Site number 1", exact: true }).click();
    await found(page, /^Site number 1: raised bog, acid/);
    assert.match(await page.evaluate(() => location.hash), /^#\/rows\?model=m1&data=d2/);
    await upload(page, "misspelt.csv", sites().replace(/Poa lettermanii/, "Poa letermanii"));
    const no = page.getByRole("alert").filter({ hasText: "the columns are not those of the model" });
    assert.match(await no.innerText(), /missing: "Poa lettermanii"; not in the model: "Poa letermanii" \(did you mean "Poa lettermanii"\?\)/);
    await shot(page, "refused-for-a-model-laptop-light");
    await page.getByRole("button", { name: "Read it by itself" }).click();
    await page.getByRole("status").filter({ hasText: "90 rows of 12 columns" }).waitFor();
    await page.waitForFunction(() => location.hash.startsWith("#/learn?data=d3"));
    await page.getByRole("link", { name: "Rows" }).click();
    await page.locator("[data-test=any-file]").setInputFiles(scratchFile("bare.csv", sites(false)));
    await page.waitForFunction(() => location.hash.endsWith("data=d4"));
    await page.getByRole("link", { name: "Learn", exact: true }).click();
    await page.getByRole("button", { name: "Learn parts from it" }).click();
    await page.getByText("This file has no column names").first().waitFor();
    await page.getByText("Read it differently").click();
    await page.getByRole("checkbox", { name: /swap on and off/ }).check();
    await page.getByRole("button", { name: "Read again" }).click();
    await page.waitForFunction(() => /data=d5/.test(location.hash));
    await page.getByRole("button", { name: "Learn", exact: true }).click();
    await page.getByRole("button", { name: "Explain one row" }).click({ timeout: 60_000 });
    await page.getByText("This file has no column names: columns are counted from 1.").first().waitFor();
    await page.getByRole("checkbox", { name: /^column 12/ }).waitFor();
    assert.equal(await page.getByRole("checkbox", { name: /^column 0/ }).count(), 0);
    assert.doesNotMatch(await page.locator("main").innerText(), /no column\b(?! names)/);
    await clean(v);
  } finally {
    await own.kill();
  }
});

test("what was understood is said in words, and put right by a choice", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  await upload(page, "mixed.csv", `site,soil,acorus,carex,height\n${Array.from({ length: 12 }, (_, i) => `Site ${i},${i % 2 ? "clay,no,yes" : "peat,yes,no"},${i === 5 ? "tall" : i / 4}`).join("\n")}\n`);
  await page.getByRole("status").filter({ hasText: "12 rows of 4 columns" }).waitFor();
  await page.getByText("1 cell is taken as unknown in height: tall").waitFor();
  const set = (column: string, kind: string) => page.getByRole("combobox", { name: `What ${column} is` }).selectOption(kind);
  await set("soil", "a label");
  await page.getByRole("status").filter({ hasText: "12 rows of 3 columns" }).waitFor();
  await set("soil", "numbers");
  const alert = page.getByRole("alert").filter({ hasText: "mixed.csv was not read" });
  await alert.filter({ hasText: "soil" }).waitFor();
  assert.doesNotMatch(await alert.innerText(), / --/, "no flags of a command line");
  await shot(page, "refused-table-laptop-light");
  await set("soil", "categories");
  await page.getByRole("status").filter({ hasText: "12 rows of 4 columns" }).waitFor();
  await set("height", "left out");
  await page.waitForFunction(() => !/taken as unknown in height/.test(document.querySelector(".reading")?.textContent ?? ""));
  await page.getByRole("status").filter({ hasText: "12 rows of 4 columns" }).waitFor();
  await clean(v);
});

test("baskets and pairs: lists of items become a table", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  await upload(page, "pairs.csv", `site,species\n${Array.from({ length: 30 }, (_, i) => `Site ${i},${["Poa", "Carex", "Salix"][i % 3]}\nSite ${i},Acorus`).join("\n")}\n`);
  await page.getByText("read it differently", { exact: false }).first().click().catch(() => undefined);
  await page.getByRole("combobox", { name: "Each line is" }).selectOption({ label: "a pair: a row, and an item that it has" });
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByRole("status").filter({ hasText: "30 rows of 4 columns" }).waitFor();
  await upload(page, "baskets.txt", `${Array.from({ length: 30 }, (_, i) => ["bread,butter,jam", "beer,crisps", "bread,butter"][i % 3]).join("\n")}\n`);
  await page.getByRole("combobox", { name: "Each line is" }).selectOption({ label: "a list of items, such as a basket" });
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByRole("status").filter({ hasText: "30 rows of 5 columns" }).waitFor();
  await clean(v);
});

/** A grey picture as a file in TIFF, which the server reads and the browser does not. */
export const picture = (name: string, side: number, pixel: (y: number, x: number) => number, height = side) => {
  const size = side * height, tags = [[256, side], [257, height], [258, 8], [259, 1], [262, 1], [273, 8], [277, 1], [278, height], [279, size]] as const;
  const buffer = Buffer.alloc(8 + size + 2 + 12 * tags.length + 4);
  buffer.write("II*\0", "latin1");
  buffer.writeUInt32LE(8 + size, 4);
  for (let i = 0; i < size; i++) buffer[8 + i] = pixel(Math.floor(i / side), i % side);
  buffer.writeUInt16LE(tags.length, 8 + size);
  tags.forEach(([tag, value], i) => {
    const at = 10 + size + 12 * i;
    buffer.writeUInt16LE(tag, at);
    buffer.writeUInt16LE(4, at + 2);
    buffer.writeUInt32LE(1, at + 4);
    buffer.writeUInt32LE(value, at + 8);
  });
  return { name, mimeType: "application/octet-stream", buffer };
};

/** A picture of 12 x 12 pixels: a bar across row y. */
const bar = (y: number, side = 12) => picture(`bar${y}.tif`, side, (r) => (r === y ? 0 : 255));

test("several pictures at once; what is wrong is said at the place", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  const input = page.locator("[data-test=file]");
  await input.setInputFiles([bar(2), bar(5), bar(8)]);
  await page.getByRole("status").filter({ hasText: "3 images of 12 × 12 pixels" }).waitFor();
  await page.waitForFunction(() => /3 files/.test((document.querySelector(".setup select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? ""));
  await input.setInputFiles([bar(2), { ...bar(3, 20), name: "large.tif" }]);
  await page.getByRole("alert").filter({ hasText: /2 files were not read: .*20 x 20/ }).waitFor();
  await page.getByRole("textbox", { name: "Bring the pictures to" }).fill("12x12");
  await page.getByRole("button", { name: "Read again" }).click();
  await page.getByRole("status").filter({ hasText: "2 images of 12 × 12 pixels" }).waitFor();
  await shot(page, "opened-pictures-laptop-light");
  await clean(v);
});

/** A grey picture: the server says how it was made binary, in a long line. */
const grey = (n: number, side = 12) => picture(`w${n}.tif`, side, (y, x) => (y === n ? 10 : (y * side + x) % 7 === 0 ? 90 : 250));

/** What stands out over the right border of the card of what was opened. */
const outside = (page: Page) => page.locator(".reading.card").evaluate((card) => [...card.querySelectorAll("*")]
  .filter((e) => e.getBoundingClientRect().width > 0 && e.getBoundingClientRect().right > card.getBoundingClientRect().right && !e.closest(".scrolled, .hidden")).map((e) => e.outerHTML.slice(0, 80)));

test("no view is wider than a phone, whatever was opened", async () => {
  const v = await visit(world.browser, world.studio.url, "draw", { viewport: { width: 390, height: 844 } }), { page } = v, input = page.locator("[data-test=any-file]");
  const fits = async (what: string) => {
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, what);
    assert.deepEqual(await outside(page), [], what);
  };
  await found(page, /explain/);
  for (const [files, said] of [[[grey(1)], "1 image of 12"], [Array.from({ length: 10 }, (_, i) => grey(i)), "10 images of 12"]] as const) {
    await input.setInputFiles([...files]);
    await page.getByRole("status").filter({ hasText: said }).waitFor();
    const learned = await page.evaluate(() => location.hash);
    for (const [view, title] of Object.entries({ draw: "Draw", experts: "Explore", sample: "Sample", learn: "Learn", rules: "Rules" })) {
      await page.evaluate((to) => { location.hash = `#/${to}`; }, view);
      await page.waitForFunction((to) => document.querySelector("h1")?.textContent === to, title);
      await fits(`${said}, ${view}`);
    }
    await page.evaluate((to) => { location.hash = to; }, learned);
    await page.locator(".reading .again summary").click();
    await fits(`${said}, opened`);
    await shot(page, `opened-${files.length}-phone-light`, true);
  }
  await upload(page, "counts.csv", `site,Veronica beccabunga,Carex acutiformis,Salix,Poa\n${Array.from({ length: 30 }, (_, i) => `Site ${i},${i === 9 ? "many" : i % 5},${(i * 7) % 23},${i % 2},${(i + 1) % 2}`).join("\n")}\n`);
  await page.getByRole("status").filter({ hasText: "30 rows of 4 columns" }).waitFor();
  await fits("counts");
  await shot(page, "opened-counts-phone-light", true);
  await clean(v);
});

test("the same file opened again replaces the older; pictures that do not fit the model are learned from", serverOnly, async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v, input = page.locator("[data-test=any-file]");
  await choose(page, /letter T/);
  await found(page, /explain/);
  const sets = async () => ((await (await fetch(`${world.studio.url}/v1/data`)).json()) as { data: { id: string; name: string }[] }).data.filter((d) => d.name === "again.tif").map((d) => d.id);
  const open = async (n: number) => {
    const [answer] = await Promise.all([page.waitForResponse((r) => r.request().method() === "POST" && r.url().includes("/v1/data")), input.setInputFiles({ ...grey(n, 13), name: "again.tif" })]);
    const { id } = (await answer.json()) as { id: string };
    await page.waitForFunction(() => document.querySelector(".reading [role=status]")?.textContent === "1 image of 13 × 13 pixels");
    return id;
  };
  const first = await open(3);
  await page.waitForFunction((id) => location.hash === `#/learn?data=${id}`, first);
  const second = await open(3);
  assert.notEqual(second, first);
  assert.deepEqual(await sets(), [second]);
  const other = await open(5);
  assert.deepEqual(await sets(), [second, other], "other bytes are another file");
  await clean(v);
});

test("a pen for unknown pixels", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await choose(page, /letter T/);
  await found(page, /Two parts/);
  await page.getByRole("button", { name: "Unknown" }).click();
  await stroke(page, canvas, [[0.3, 0.5], [0.8, 0.6]]);
  const box = (await page.locator(canvas).boundingBox())!;
  await page.mouse.move(box.x + 0.55 * box.width, box.y + 0.55 * box.height);
  await page.waitForFunction(() => /: unknown/.test(document.querySelector(".under")?.textContent ?? ""));
  await found(page, /Two parts/);
  await shot(page, "draw-unknown-laptop-light");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.locator(canvas).focus();
  await page.keyboard.press("u");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => /^row \d+, column \d+: unknown/.test(document.querySelector(".under")?.textContent ?? ""));
  await clean(v);
});
