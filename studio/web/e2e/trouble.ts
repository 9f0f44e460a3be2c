import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { patchwork, scratch, scratchFile, shot, stroke, Studio, visit, serverOnly } from "./studio.ts";
import { canvas, clean, draw, finding, found, world } from "./world.ts";

test("a file that is not an image is refused in plain words, and a picture is taken", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  const before = await found(page, /Two parts/), input = page.locator("[data-test=file]");
  await input.setInputFiles({ name: "notes.png", mimeType: "image/png", buffer: Buffer.from("these are only words") });
  await page.getByRole("alert").filter({ hasText: "notes.png was not read" }).waitFor();
  await shot(page, "not-an-image-laptop-light");
  await input.setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("these are only words") });
  await page.getByRole("alert").filter({ hasText: "notes.txt was not read" }).waitFor();
  assert.equal(await finding(page), before, "what was there stays");
  await page.evaluate(async () => {
    const c = Object.assign(document.createElement("canvas"), { width: 300, height: 400 }), g = c.getContext("2d")!;
    g.fillStyle = "#fff";
    g.fillRect(0, 0, 300, 400);
    g.fillStyle = "#333";
    g.fillRect(60, 50, 180, 24);
    g.fillRect(138, 50, 24, 260);
    const blob: Blob = await new Promise((r) => c.toBlob((x) => r(x!), "image/png"));
    const files = new DataTransfer();
    files.items.add(new File([blob], "photo.png", { type: "image/png" }));
    document.querySelector(".stage")!.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));
  });
  await page.getByText("photo.png", { exact: true }).waitFor();
  await found(page, /^Two parts/);
  assert.equal(await page.locator(".error").count(), 0);
  await clean(v);
});

test("data that another model fits are shown with it; rubbish is refused", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await found(page, /Two parts/);
  patchwork("synth", "quadrants", "--n", "20", "--seed", "1", "-o", "q.npz");
  await page.locator("[data-test=file]").setInputFiles(join(scratch, "q.npz"));
  await page.waitForFunction(() => location.hash.includes("data=d")); // with the model that fits them
  await page.locator("[data-test=file]").setInputFiles(join(scratch, "e-model.npz"));
  await page.waitForFunction(() => /4 parts/.test((document.querySelector(".choose select") as HTMLSelectElement).selectedOptions[0]?.textContent ?? ""));
  const broken = scratchFile("broken.npz", Buffer.concat([readFileSync(join(scratch, "q.npz")).subarray(0, 100), Buffer.from("rubbish")]));
  await page.locator("[data-test=file]").setInputFiles(broken);
  await page.getByRole("alert").filter({ hasText: "broken.npz was not read" }).waitFor();
  await clean(v);
});

test("the server goes away and comes back; what was drawn is kept", serverOnly, async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await found(page, /Two parts/);
  await page.getByRole("button", { name: "Clear" }).click();
  await found(page, /empty/);
  await draw(page, [[0.5, 0.16], [0.5, 0.9]]);
  await found(page, /^One part/);
  await world.studio.kill();
  await stroke(page, canvas, [[0.15, 0.14], [0.85, 0.14]]);
  const banner = page.getByRole("alert").filter({ hasText: "The server does not answer; your drawing is kept." });
  await banner.waitFor();
  await shot(page, "server-away-laptop-light");
  await world.studio.start();
  await found(page, /^Two parts/); // both strokes, including the one drawn while the server was away
  assert.equal(await page.locator(".banner").count(), 0);
  await clean(v);
});

test("a server with a token: the page asks for it", serverOnly, async () => {
  process.env.PATCHWORK_TOKEN = "open-sesame-open-sesame";
  const guarded = Studio.guarded("-q", "--model", join(scratch, "e-model.npz"), "--data", join(scratch, "e.npz"));
  await guarded.start().finally(() => delete process.env.PATCHWORK_TOKEN);
  try {
    const v = await visit(world.browser, guarded.url, "draw"), { page } = v;
    await page.getByLabel("Token").fill("wrong");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByRole("alert").filter({ hasText: "token" }).waitFor();
    await page.getByLabel("Token").fill("open-sesame-open-sesame");
    await page.getByRole("button", { name: "Connect" }).click();
    await found(page, /parts? explain/);
    await clean(v);
  } finally {
    await guarded.kill();
  }
});

test("a server with a folder for models: what was learned is there after a restart", serverOnly, async () => {
  const keeping = new Studio("-q", "--keep", "kept", "--data", join(scratch, "e.npz"));
  await keeping.start();
  try {
    const v = await visit(world.browser, keeping.url, "learn"), { page } = v;
    await page.getByLabel("Parts", { exact: true }).fill("2");
    await page.getByRole("button", { name: "Learn", exact: true }).click();
    await page.getByRole("button", { name: "Download the model" }).waitFor({ timeout: 60_000 });
    await keeping.kill();
    await keeping.start();
    await page.reload();
    await page.getByRole("button", { name: "Manage…" }).click();
    const dialog = page.getByRole("dialog", { name: "Models and data" });
    await dialog.locator("li", { hasText: "learned here" }).waitFor();
    assert.match(await dialog.innerText(), /kept in a folder of the server/);
    await clean(v);
  } finally {
    await keeping.kill();
  }
});

test("a server's own token: the printed address opens the page, which then does not show it", serverOnly, async () => {
  const guarded = Studio.guarded("-q", "--model", join(scratch, "e-model.npz"), "--data", join(scratch, "e.npz"));
  await guarded.start();
  try {
    const v = await visit(world.browser, guarded.url, "draw"), { page } = v;
    await page.getByLabel("Token").waitFor();
    await page.goto(guarded.printed); // in the same tab, which does not load the page again
    await found(page, /parts? explain/);
    assert.doesNotMatch(page.url(), /token/);
    await page.reload();
    await found(page, /parts? explain/);
    await clean(v);
  } finally {
    await guarded.kill();
  }
});
