import assert from "node:assert/strict";
import { test } from "node:test";
import { climb } from "../src/climb.ts";

const grid = (f: (x: number, y: number) => number, points = 41) => ({
  points, loglik: Float32Array.from({ length: points * points }, (_, i) => f((i % points) / (points - 1), Math.floor(i / points) / (points - 1))),
});

test("climbing ends at the top of a hill, from anywhere", () => {
  const hill = grid((x, y) => -((x - 0.3) ** 2) - (y - 0.8) ** 2);
  for (const start of [{ x: 0, y: 0 }, { x: 1, y: 1 }, { x: 0.3, y: 0.1 }]) {
    const end = climb(hill, start).at(-1)!;
    assert.ok(Math.hypot(end.x - 0.3, end.y - 0.8) < 0.03, JSON.stringify(end));
  }
});

test("climbing stays in the square and on flat ground where it is", () => {
  const end = climb(grid((x) => 3 * x), { x: 0.5, y: 0.25 }).at(-1)!;
  assert.ok(Math.abs(end.x - 1) < 1e-9 && Math.abs(end.y - 0.25) < 1e-4);
  assert.equal(climb(grid(() => 1), { x: 0.5, y: 0.5 }).length, 1);
});
