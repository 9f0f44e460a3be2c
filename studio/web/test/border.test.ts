import assert from "node:assert/strict";
import { test } from "node:test";
import { border } from "../src/border.ts";

const of = (rows: string[]) => border(rows.length, rows[0].length, (i) => rows[Math.floor(i / rows[0].length)][i % rows[0].length] === "x");

test("a border is closed: every end of a segment is the end of one other", () => {
  for (const rows of [["xx.", "xx.", "..."], ["xxxxx", "x...x", "x.x.x", "x...x", "xxxxx"], ["x....", ".x...", "..x..", "...x.", "....x"], ["xxx", "xxx", "xxx"]]) {
    const ends = new Map<string, number>();
    for (const [a, b, c, d] of of(rows)) for (const p of [[a, b], [c, d]]) { const key = p.map((v) => v.toFixed(5)).join(" "); ends.set(key, (ends.get(key) ?? 0) + 1); }
    assert.ok(ends.size > 0, rows.join("/"));
    for (const [at, n] of ends) assert.equal(n % 2, 0, `${rows.join("/")} at ${at}`);
  }
});

test("a border runs around its region, about where its pixels end", () => {
  const all = of(["......", ".xxxx.", ".xxxx.", ".xxxx.", "......"]).flatMap(([a, b, c, d]) => [[a, b], [c, d]]);
  const ys = all.map(([y]) => y), xs = all.map(([, x]) => x), near = (a: number, b: number) => assert.ok(Math.abs(a - b) < 0.35, `${a}, not ${b}`);
  near(Math.min(...ys), 1);
  near(Math.max(...ys), 4);
  near(Math.min(...xs), 1);
  near(Math.max(...xs), 5);
});

test("a speck has no border, a line of one pixel has", () => {
  assert.equal(of(["...", ".x.", "..."]).length, 0);
  assert.ok(of(["...", "xxx", "..."]).length > 0);
  assert.equal(of(["..", ".."]).length, 0);
});
