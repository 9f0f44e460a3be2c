import assert from "node:assert/strict";
import { test } from "node:test";
import { Bits } from "../src/bits.ts";
import { leftOver } from "../src/leftover.ts";

const layer = (p: number[], speaker: number[]) => ({ p: Float32Array.from(p), speaker: Int16Array.from(speaker) });

test("votes for ink only: ink that is unlikely, and paper where ink is expected", () => {
  const left = leftOver(Bits.parse({ height: 1, width: 7, bits: "11100??" }), layer([0.9, 0.4, 0.5, 0.7, 0.1, 0.9, 0.1], [0, -1, 0, 0, -1, 0, -1]), false);
  assert.deepEqual([...left.kind], [0, 1, 0, 2, 0, 0, 0]);
  assert.deepEqual([left.first, left.second], [1, 1]);
});

test("votes both ways: pixels that contradict the experts, and pixels without a vote; unknown pixels are neither", () => {
  const left = leftOver(Bits.parse({ height: 1, width: 7, bits: "111000?" }), layer([0.9, 0.1, 0.5, 0.9, 0.1, 0.5, 0.5], [0, 1, -1, 0, 1, -1, -1]), true);
  assert.deepEqual([...left.kind], [0, 1, 2, 1, 0, 2, 0]);
  assert.deepEqual([left.first, left.second], [2, 2]);
});
