import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { here, patchwork, program, scratch, shot, visit } from "./studio.ts";
import { clean, drawT, found, toRow, world } from "./world.ts";

test("learning from ten drawn examples; the command line reads the model", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  for (let i = 0; i < 10; i++) {
    await drawT(page, ".pad canvas", 0.03 * (i - 4.5));
    await page.getByRole("button", { name: `Add example ${i + 1}` }).click();
  }
  assert.equal(await page.locator(".ten .strip li").count(), 10);
  await shot(page, "learn-drawn-laptop-light");
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  await page.locator(".watch").waitFor();
  const score = page.locator(".watch");
  await page.getByRole("button", { name: "Download the model" }).waitFor({ timeout: 60_000 });
  assert.match(await score.innerText(), /A point for each model tried, the line for the best so far/);
  await page.locator(".result").scrollIntoViewIfNeeded();
  await shot(page, "learned-laptop-light", true);
  for (const [button, file] of [["Download the model", "model.npz"], ["The examples, npz", "data.npz"], ["Picture, PNG", "experts.png"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: button }).click()]);
    assert.equal(download.suggestedFilename(), file);
    await download.saveAs(join(scratch, file));
  }
  assert.match(patchwork("show", "model.npz"), /2 parts|parts +2/i);
  const lines = patchwork("explain", "-m", "model.npz", "data.npz", "-q").trim().split("\n").map((l) => JSON.parse(l) as { picks: unknown[] });
  assert.equal(lines.length, 10);
  assert.ok(lines.filter((l) => l.picks.length === 2).length >= 8, "most of the drawn T are two strokes");
  assert.equal(readFileSync(join(scratch, "experts.png")).subarray(1, 4).toString(), "PNG");

  // The command line on the page makes the same bytes.
  const learned = readFileSync(join(scratch, "model.npz")), line = await page.locator(".command code").innerText();
  rmSync(join(scratch, "model.npz"));
  execFileSync("/bin/sh", ["-c", line.replace(/^patchwork/, program)], { cwd: scratch, stdio: "pipe" });
  assert.ok(learned.equals(readFileSync(join(scratch, "model.npz"))), line);

  await page.getByRole("button", { name: "Draw with it" }).click();
  await found(page, /part/);
  await clean(v);
});

test("learning from a file of one's own, stopped: the best so far is kept", async () => {
  const v = await visit(world.browser, world.studio.url, "learn"), { page } = v;
  await page.locator("[data-test=file]").setInputFiles(join(scratch, "e.npz"));
  await page.waitForFunction(() => /e\.npz/.test((document.querySelector(".setup select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? ""));
  await page.getByLabel("Parts", { exact: true }).fill(here ? "2" : "4"); // a worker has one thread
  await page.getByText("More settings").click();
  await page.getByLabel("Starts").fill("64");
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  await page.waitForFunction(() => /start [1-9]\d* of 64/.test(document.querySelector(".watch")?.textContent ?? ""));
  await page.waitForFunction(() => document.querySelectorAll(".chart circle").length > 2);
  const marks = await page.locator(".chart text").allTextContents();
  assert.ok(marks.includes("models tried") && marks.filter((m) => /^−?[\d.]+$/.test(m)).length >= 4, `the axes say ${marks.join(", ")}`);
  assert.match(await page.locator(".watch figcaption").first().innerText(), /log-likelihood per pixel, nats/);
  await shot(page, "learning-laptop-light");
  await page.getByRole("button", { name: "Stop and keep the best" }).click();
  await page.getByText("stopped; the best so far is kept", { exact: true }).waitFor();
  assert.match(await page.locator(".result").innerText(), /parts?, learned from 12 images/);
  await clean(v);
});

test("sampling, at random and along the principal directions", async () => {
  const v = await visit(world.browser, world.studio.url, "sample"), { page } = v;
  const samples = () => page.locator(".sample .strip canvas").evaluateAll((all) => all.map((c) => (c as HTMLCanvasElement).toDataURL()));
  await page.waitForFunction(() => document.querySelectorAll(".sample .strip canvas").length === 12);
  const first = await samples();
  assert.ok(new Set(first).size > 6, "samples differ");
  await page.getByRole("button", { name: "New samples" }).click();
  await page.getByText("seed 2", { exact: true }).waitFor();
  await page.waitForFunction((old) => (document.querySelector(".sample .strip canvas") as HTMLCanvasElement).toDataURL() !== old, first[0]);
  const big = page.locator(".along canvas"), mean = await big.evaluate((c: HTMLCanvasElement) => c.toDataURL());
  const slider = page.getByRole("slider", { name: /direction 1/ });
  await slider.focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  await page.waitForFunction((old) => (document.querySelector(".along canvas") as HTMLCanvasElement).toDataURL() !== old, mean);
  await shot(page, "sample-along-laptop-light");
  await clean(v);
});

test("parts: the examples that one explains best, and all that have it", async () => {
  const v = await visit(world.browser, world.studio.url, "experts?model=letter-t&data=letters-t"), { page } = v;
  await page.getByRole("button", { name: "Details… of part 2" }).first().click();
  await page.getByRole("heading", { name: "Explains best" }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll("dialog .wall canvas").length === 6);
  await shot(page, "expert-examples-laptop-light");
  await page.getByRole("button", { name: /^Show all \d+ images that have it/ }).click();
  await page.waitForFunction(() => document.querySelectorAll(".overview .wall canvas").length === 24);
  assert.equal(await page.getByRole("combobox", { name: "Only" }).inputValue(), "1");
  await page.locator(".overview .wall a").first().click();
  await page.waitForFunction(() => /^#\/draw\?model=letter-t&data=letters-t&row=\d+$/.test(location.hash));
  await clean(v);
});

test("a table: its parts by name, a row explained by parts, unknown cells predicted", async () => {
  const v = await visit(world.browser, world.studio.url, "rows"), { page } = v;
  await page.getByRole("link", { name: /^All \d+ parts, and all rows/ }).click();
  await page.locator(".parts .card").first().waitFor();
  const parts = await page.locator(".parts .card").allInnerTexts(), pasta = parts.find((p) => /pasta/.test(p)) ?? "";
  for (const name of ["tomatoes", "basil", "cheese"]) assert.match(pasta, new RegExp(name));
  await page.getByRole("link", { name: "Rows", exact: true }).click();
  await toRow(page, 1);
  await page.getByRole("button", { name: "All off" }).click();
  for (const name of ["tomatoes", "basil", "cheese"]) {
    const cell = page.getByRole("checkbox", { name: new RegExp(`^${name}`) });
    await cell.focus();
    await page.keyboard.press("1");
    assert.equal(await cell.getAttribute("aria-checked"), "true");
  }
  await found(page, /^Row 1, changed: .*part \d+ because of (tomatoes|basil|cheese)/);
  const cell = page.getByRole("checkbox", { name: /^pasta/ });
  await cell.click(); // off: now unknown
  assert.equal(await cell.getAttribute("aria-checked"), "mixed");
  await page.waitForFunction(() => /\d+ %/.test(document.querySelector("[role=checkbox][aria-checked=mixed]")?.textContent ?? ""));
  const p = Number(/(\d+) %/.exec(await cell.innerText())?.[1]);
  assert.ok(p > 80, `pasta with tomatoes, basil and cheese: ${p} %`);
  await shot(page, "table-row-laptop-light");
  await clean(v);
});

test("rules: the figure answers to its sliders", async () => {
  const v = await visit(world.browser, world.studio.url, "rules"), { page } = v;
  const row = page.getByRole("row", { name: /^Maximum minus minimum/ });
  await row.waitFor();
  await page.getByRole("slider", { name: "The second part says" }).fill("0.1");
  await page.waitForFunction(() => [...document.querySelectorAll("tr")].some((r) => /^Maximum minus minimum.*0\.300$/.test(r.textContent ?? ""))); // .7 + .1 - .5
  await page.getByRole("slider", { name: /^q, where no part votes, of maximum minus/ }).fill("0.3");
  await page.waitForFunction(() => [...document.querySelectorAll("tr")].some((r) => /^Maximum minus minimum.*0\.500$/.test(r.textContent ?? ""))); // .7 + .1 - .3
  await clean(v);
});
