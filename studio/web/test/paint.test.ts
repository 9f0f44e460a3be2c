import assert from "node:assert/strict";
import { test } from "node:test";
import { digits, lineOf, typed } from "../src/format.ts";
import { deviationOf, greyOf, middle, scaleOf, strong } from "../src/paint.ts";
import { lightPaper } from "../src/palette.ts";

const f = (...x: number[]) => Float32Array.from(x);

test("greys reach from the smallest mean to the largest, and one vote of twenty is beyond the full colour", () => {
  const ground = f(3, 5), votes = Array.from({ length: 40 }, (_, i) => f(NaN, 5 + i));
  assert.deepEqual(scaleOf(ground, votes), { low: 3, high: 44, full: 37 });
  assert.deepEqual(scaleOf(ground, []), { low: 3, high: 5, full: 0 });
});

test("a value is black at the low end, white at the high end, and beyond them no more; unknown ones differ from all", () => {
  const grey = greyOf(lightPaper, { low: 2, high: 4 }, 2);
  assert.deepEqual(grey(2, 0), [0, 0, 0]);
  assert.deepEqual(grey(-9, 0), [0, 0, 0]);
  assert.deepEqual(grey(4, 0), [255, 255, 255]);
  assert.deepEqual(grey(null, 0), lightPaper.unknown[0]);
  assert.deepEqual(grey(NaN, 1), lightPaper.unknown[1]);
});

test("deviations above and below have different colours, and the same at any size beyond the full one", () => {
  const colour = deviationOf(lightPaper, { low: 0, high: 1, full: 2 });
  assert.notDeepEqual(colour(1), colour(-1));
  assert.deepEqual(colour(2), colour(200));
  assert.notDeepEqual(colour(NaN), colour(0));
  assert.deepEqual(deviationOf(lightPaper, { low: 0, high: 1, full: 0 })(5), colour(0), "no vote at all");
});

test("a line holds all that is shown on it", () => {
  const line = lineOf(10, 2, [30, NaN]);
  assert.ok(line.low < 4 && line.low > 3);
  assert.ok(line.high > 30 && line.high < 31);
  assert.ok(line.at(4) > 0 && line.at(4) < 5 && line.at(30) > 95 && line.at(30) < 100);
  assert.equal(line.at(99), 100);
  assert.equal(lineOf(1, 0, []).at(1), 0, "a column that never changes");
});

test("numbers are read as people type them, and what is none is not taken", () => {
  for (const [text, want] of [["", null], [" ? ", null], ["3", 3], ["−0.5", -0.5], [".25", 0.25], ["1e3", 1000], ["3.", 3], ["x", undefined], ["1,5", undefined], ["--1", undefined], ["1e999", undefined], ["-", undefined]] as const) {
    assert.equal(typed(text), want, text);
  }
  for (const x of [0, 1, -2.5, 1284, 1e-9, 98.25]) assert.ok(Math.abs((typed(digits(x)) as number) - x) <= Math.abs(x) / 150, digits(x));
});

test("the middle is one of the pixels", () => {
  const mid = (...pixels: number[]) => middle((i) => pixels.includes(i), 3, 3);
  assert.deepEqual(mid(0, 1, 2), { y: 0.5, x: 1.5 });
  const m = mid(0, 1, 2, 3, 5, 6, 7, 8);
  assert.ok(m && (m.y !== 1.5 || m.x !== 1.5), "not in the hole of a ring");
  assert.equal(mid(), null);
});

test("strong votes, for ink only and both ways; abstaining is never one", () => {
  assert.deepEqual([0.49, 0.5, NaN].map((v) => strong(v, 0.01, false)), [false, true, false]);
  assert.deepEqual([0.25, 0.3, 0.5, 0.74, 0.75, NaN].map((v) => strong(v, 0.5, true)), [true, false, false, false, true, false]);
});
