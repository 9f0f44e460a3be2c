import assert from "node:assert/strict";
import { test } from "node:test";
import { bestSoFar, tickText, ticks } from "../src/ticks.ts";

test("marks are round, in order, within the axis, and few", () => {
  for (let i = 0; i < 500; i++) {
    const low = (Math.sin(i) * 10) ** (i % 5), high = low + Math.abs(Math.cos(i * 7)) * 10 ** ((i % 9) - 4) + 1e-4, all = ticks(low, high), said = `${low} to ${high}: ${all.join(" ")}`;
    assert.ok(all.length >= 2 && all.length <= 7, said);
    assert.ok(all.every((v, j) => v >= low - 1e-6 * (high - low) && v <= high + 1e-6 * (high - low) && (j === 0 || v > all[j - 1])), said);
    assert.equal(new Set(all.map(tickText(all))).size, all.length, said);
  }
  const all = ticks(-0.0905, -0.0895);
  assert.deepEqual(all.map(tickText(all)), ["−0.0905", "−0.0900", "−0.0895"]);
  assert.deepEqual(ticks(3, 3), [3]);
});

test("the best so far never falls", () => {
  assert.deepEqual(bestSoFar([-9, -7, -8.2, -6.5, -8.2]), [-9, -7, -7, -6.5, -6.5]);
  assert.deepEqual(bestSoFar([]), []);
});
