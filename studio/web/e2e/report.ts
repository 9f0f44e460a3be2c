// The page that patchwork report writes: a file, opened as such; accessible, no wider than the screen, searched and sorted.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { violations, violationsText } from "./axe.ts";
import { newPage, patchwork, pictures, schemes, scratch, scratchFile, shot, visit } from "./studio.ts";
import { clean, world } from "./world.ts";

const files: Record<string, string> = { table: "report.html", images: "letters.html" };

/** Sites of five habitats with three groups of species: heath has two of them, scree none. */
function sites(): string {
  const groups = [["bog rush", "sundew", "cotton grass", "cranberry"], ["heather", "purple moor grass", "bilberry", "juniper"], ["sea holly", "marram grass", "sea rocket", "a shore plant whose name is much longer than the others"]];
  const habitats: Record<string, number[]> = { bog: [0], heath: [0, 1], moor: [1], shore: [2], scree: [] };
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const lines = [["site", "habitat", ...groups.flat()].join(",")];
  for (let i = 0; i < 200; i++) {
    const [habitat, has] = Object.entries(habitats)[i % 5];
    const cells = groups.flatMap((species, g) => species.map(() => random() < 0.04 ? "" : Number(random() < (has.includes(g) ? 0.85 : 0.05))));
    lines.push([`Site ${i + 1}`, habitat, ...cells].join(","));
  }
  return lines.join("\n") + "\n";
}

before(() => {
  scratchFile("sites.csv", sites());
  patchwork("learn", "sites.csv", "-o", "sites.npz", "--column", "site=label", "--column", "habitat=label", "--rule", "max", "--method", "soft", "--experts", "3", "--aim", "interpret");
  patchwork("report", "-m", "sites.npz", "sites.csv", "-o", files.table, "--stability", "2");
  patchwork("report", "-m", "e-model.npz", "e.npz", "-o", files.images, "--stability", "0");
});

async function open(file: string, options: BrowserContextOptions): Promise<{ page: Page; trouble: string[] }> {
  const page = await newPage(world.browser, options), trouble: string[] = [], url = pathToFileURL(join(scratch, file)).href;
  page.on("pageerror", (e) => trouble.push(`error: ${e.message}`));
  page.on("request", (r) => {
    if (!r.url().startsWith(url) && !r.url().startsWith("data:")) trouble.push(`request to ${r.url()}`);
  });
  await page.goto(url);
  return { page, trouble };
}

for (const [what, file] of Object.entries(files)) {
  for (const colorScheme of schemes) {
    for (const [device, viewport] of [["laptop", { width: 1280, height: 800 }], ["phone", { width: 390, height: 844 }]] as const) {
      test(`a report on ${what}, ${device}, ${colorScheme}: loads nothing, accessible, no wider than the screen`, async () => {
        const { page, trouble } = await open(file, { viewport, colorScheme });
        assert.equal(violationsText(await violations(page)), "");
        const beyond = await page.evaluate(() => [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .tall")).map((e) => e.outerHTML.slice(0, 90)));
        assert.deepEqual(beyond, [], "elements beyond the right edge");
        assert.deepEqual(trouble, []);
        await shot(page, `report-${what}-${device}-${colorScheme}`, true);
        if (what === "table" && device === "laptop" && colorScheme === "light") {
          await page.setViewportSize({ width: 1120, height: 1038 });
          await shot(page, "report"); // docs/pictures/report.png
        }
        await page.goto("about:blank");
      });
    }
  }
}

test("the rows of a report are searched and sorted", async () => {
  const { page, trouble } = await open(files.table ?? "", { viewport: { width: 1280, height: 800 } });
  const shown = () => page.locator("[data-rows] tbody tr:visible").allInnerTexts();
  assert.equal((await shown()).length, 200);
  await page.getByRole("searchbox", { name: "Search" }).fill("site 149 shore");
  assert.deepEqual((await shown()).map((t) => t.slice(0, 8)), ["Site 149"]);
  assert.equal(await page.locator("[data-rows] output").innerText(), "1 of 200");
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  const loss = page.getByRole("button", { name: "loss" });
  await loss.click();
  await loss.click();
  const losses = (await shown()).map((t) => Number(t.split("\t").at(-1)));
  assert.deepEqual(losses, losses.toSorted((a, b) => b - a));
  await page.getByRole("button", { name: "row", exact: true }).click();
  assert.deepEqual((await shown()).slice(0, 3).map((t) => t.split("\t")[0]), ["Site 1", "Site 2", "Site 3"]);
  assert.deepEqual(trouble, []);
  await page.goto("about:blank");
});

test("a report opens in the page: its model is in it", async () => {
  const v = await visit(world.browser, world.studio.url, "start"), { page } = v;
  const opener = page.locator("[data-test=any-file]");
  await opener.setInputFiles(join(scratch, files.table ?? ""));
  await page.waitForFunction(() => /report\.npz \(3 parts/.test((document.querySelector(".choose select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? ""));
  await opener.setInputFiles(scratchFile("other.html", "<p>no report</p>"));
  await page.getByRole("alert").filter({ hasText: "no report with a model" }).waitFor();
  await clean(v);
});

test("a report prints without its search box, and all rows", async () => {
  const { page } = await open(files.table ?? "", { viewport: { width: 1280, height: 800 } });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("searchbox").isVisible(), false);
  assert.equal(await page.locator(".tall").first().evaluate((e) => e.scrollHeight - e.clientHeight), 0);
  await page.pdf({ path: join(pictures || scratch, "report.pdf"), format: "A4" });
  assert.equal(readFileSync(join(pictures || scratch, "report.pdf")).subarray(0, 4).toString(), "%PDF");
  await page.goto("about:blank");
});
