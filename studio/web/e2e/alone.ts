// The page without a server: from a bare host of files and from disk, offline, and how fast it learns.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { shot, visit } from "./studio.ts";
import { clean, drawT, found, world } from "./world.ts";

test("from a bare host of files: the page asks for two files and for nothing more", async () => {
  const folder = new URL(world.studio.url), asked: string[] = [];
  const host = createServer((request, response) => {
    const name = request.url === "/" ? "index.html" : (request.url ?? "").slice(1).split("?")[0];
    asked.push(name);
    response.setHeader("Content-Type", name.endsWith(".js") ? "text/javascript" : name.endsWith(".html") ? "text/html" : "text/plain");
    if (!existsSync(join(folder.pathname, name))) response.statusCode = 404; // an icon that the browser looks for
    response.end(response.statusCode === 404 ? "" : readFileSync(join(folder.pathname, name)));
  });
  await new Promise<void>((ready) => { host.listen(0, "127.0.0.1", ready); });
  try {
    const v = await visit(world.browser, `http://127.0.0.1:${(host.address() as AddressInfo).port}`, "draw");
    await v.page.context().setOffline(true); // what follows comes from the page alone
    await found(v.page, /Two parts/);
    await v.page.getByRole("button", { name: "Clear" }).click();
    await found(v.page, /empty/);
    await drawT(v.page, ".stage canvas");
    await found(v.page, /parts? explain/);
    assert.deepEqual(asked.filter((n) => !/^(licenses.txt|favicon.ico)$/.test(n)), ["index.html", "core.js"]);
    await v.page.context().setOffline(false);
    await clean(v);
  } finally {
    host.closeAllConnections();
    host.close();
  }
});

test("T from ten drawings, in the page alone", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await found(page, /Two parts/);
  await page.evaluate(() => { location.hash = "#/learn"; });
  for (let i = 0; i < 10; i++) {
    await drawT(page, ".pad canvas", 0.03 * (i - 4.5));
    await page.getByRole("button", { name: `Add example ${i + 1}` }).click();
  }
  const begun = Date.now();
  await page.getByRole("button", { name: "Learn", exact: true }).click();
  await page.getByRole("button", { name: "Download the model" }).waitFor({ timeout: 180_000 });
  const took = (Date.now() - begun) / 1000;
  console.log(`T from ten drawings, in the page alone: ${took.toFixed(1)} s (target 3; fails at 30, because shared machines are slow)`);
  assert.ok(took < 30);
  assert.match(await page.locator(".result").innerText(), /Two parts, learned from 10 images/);
  await shot(page, "alone-learned-laptop-light");

  // What was learned is there when the page is opened again, with its names, and nobody is asked before it is left.
  const kept = (n: number) => page.waitForFunction((want) => new Promise<boolean>((tell) => {
    const base = indexedDB.open("patchwork");
    base.onsuccess = () => {
      const all = base.result.transaction("models").objectStore("models").getAll();
      all.onsuccess = () => { base.result.close(); tell(all.result.length === want); };
    };
    base.onerror = () => tell(false);
  }), n);
  const manage = async () => {
    await page.getByRole("button", { name: "Manage…" }).click();
    return page.locator("dialog.manage li", { hasText: ", opened" });
  };
  await kept(1);
  await page.reload();
  let mine = await manage();
  assert.match(await page.locator("dialog.manage").innerText(), /Models are kept in this browser/);
  await mine.first().getByRole("button", { name: /^Remove/ }).click();
  await mine.first().getByRole("button", { name: /for good/ }).click();
  await kept(0);
  await page.reload();
  mine = await manage();
  assert.equal(await mine.count(), 0, "what was removed does not come back");
  await clean(v);
});

test("a policy lets the page send nothing", async () => {
  const v = await visit(world.browser, world.studio.url, "draw"), { page } = v;
  await found(page, /Two parts/);
  v.trouble.length = 0;
  const blocked = await page.evaluate(async () => {
    const said = new Promise<string>((r) => document.addEventListener("securitypolicyviolation", (e) => r(e.violatedDirective), { once: true }));
    await fetch("https://example.com/").catch(() => undefined);
    return said;
  });
  assert.equal(blocked, "connect-src");
  await page.goto("about:blank");
});
