import assert from "node:assert/strict";
import { test } from "node:test";
import { compose, middle, place, speakers, strong } from "../src/compose.ts";

const t = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9); // 3 x 3
const at = (dy: number, dx: number, angle: number) => [...place(t, { height: 3, width: 3 }, { expert: 0, dy, dx, angle })].map((v) => (Number.isNaN(v) ? 0 : v));

test("a pose turns clockwise about the centre, then shifts down and right", () => {
  assert.deepEqual(at(0, 0, 0), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(at(1, 0, 0), [0, 0, 0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(at(0, -1, 0), [2, 3, 0, 5, 6, 0, 8, 9, 0]);
  assert.deepEqual(at(0, 0, 90), [7, 4, 1, 8, 5, 2, 9, 6, 3]);
  assert.deepEqual(at(0, 0, -90), [3, 6, 9, 2, 5, 8, 1, 4, 7]);
  assert.deepEqual(at(0, 0, 180), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
  assert.deepEqual(at(1, 1, 90), [0, 0, 0, 0, 7, 4, 0, 8, 5]);
});

test("a part lies anywhere in a larger image, and turned it is not cut off at its frame", () => {
  const bar = Float32Array.of(1, 2, 3); // 1 x 3
  const got = place(bar, { height: 1, width: 3 }, { expert: 0, dy: 1, dx: 2, angle: 90 }, { height: 4, width: 5 });
  assert.deepEqual([...got].map((v) => (Number.isNaN(v) ? 0 : v)), [0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
});

const near = (got: Float32Array, want: number[]) => want.forEach((w, i) => assert.ok(Math.abs(got[i] - w) < 1e-6, `${i}: ${got[i]}, want ${w}`));

test("max: the strongest vote stands", () => {
  const c = compose([Float32Array.of(0.2, 0.9, NaN, 0), Float32Array.of(0.5, 0.3, NaN, 0)], 0, false, 4);
  near(c.p, [0.5, 0.9, 0, 0]);
  assert.deepEqual([...c.speaker], [1, 0, -1, -1]);
});

test("max minus min: votes for and against meet, the side that wins has the voice", () => {
  const c = compose([Float32Array.of(0.9, 0.4, 0.9, 0.5), Float32Array.of(0.2, 0.3, NaN, 0.5), Float32Array.of(0.7, 0.6, 0.5, 0.5)], 0.5, true, 4);
  near(c.p, [0.6, 0.4, 0.9, 0.5]);
  assert.deepEqual([...c.speaker], [0, 1, 0, -1]);
});

test("max: a vote below the abstention value is none", () => {
  const c = compose([Float32Array.of(0.005, 0.02)], 0.01, false, 2);
  near(c.p, [0.01, 0.02]);
  assert.deepEqual([...c.speaker], [-1, 0]);
});

test("speakers among the first picks only; the earlier of equals", () => {
  const start = new Float32Array(2), p = Float32Array.of(0.8, 0.8), votes = [Float32Array.of(0.8, 0.1), Float32Array.of(0.8, 0.8)];
  assert.deepEqual([...speakers(start, p, votes, 2)], [0, 1]);
  assert.deepEqual([...speakers(start, Float32Array.of(0.8, 0.1), votes, 1)], [0, 0]);
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
