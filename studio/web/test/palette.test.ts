import assert from "node:assert/strict";
import { test } from "node:test";
import { hues } from "../src/hues.ts";
import { chosen, golden, hue, mix, ramp, readable, share, symmetric } from "../src/palette.ts";
import { finding, number, percent, poseShort, poseWords } from "../src/format.ts";

const luminance = (c: readonly number[]) => {
  const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

test("every expert's number can be read on its colour", () => {
  for (let k = 0; k < 60; k++) {
    const l = luminance(hue(k)), contrast = readable(hue(k)) === "#000" ? (l + 0.05) / 0.05 : 1.05 / (l + 0.05);
    assert.ok(contrast >= 4.5, `expert ${k}: ${contrast}`);
  }
});

test("the first twelve colours differ", () => {
  const seen = new Set(Array.from({ length: 12 }, (_, k) => hue(k).join()));
  assert.equal(seen.size, 12);
});

test("colours beyond those chosen by hand are those of the server's pictures", () => {
  assert.ok(hues.length > chosen);
  for (let k = chosen; k < hues.length; k++) assert.deepEqual(golden(k), hues[k], `part ${k}`);
});

test("mixing has its ends, and grows lighter all the way from blue to yellow", () => {
  assert.deepEqual(mix([1, 2, 3], [200, 100, 50], 0), [1, 2, 3]);
  assert.deepEqual(mix([1, 2, 3], [200, 100, 50], 1), [200, 100, 50]);
  assert.deepEqual(mix([0, 0, 0], [255, 255, 255], 0.5), [99, 99, 99]); // as mix in render/palette.go
  let last = -1;
  for (let i = 0; i <= 20; i++) {
    const l = luminance(symmetric(i / 20, 0.5));
    assert.ok(l > last);
    last = l;
  }
  assert.deepEqual(ramp([0, 0, 0], [9, 9, 9])(2), [9, 9, 9]);
});

test("the share of the way from abstention", () => {
  assert.equal(share(0.75, 0.5), 0.5);
  assert.equal(share(0.25, 0.5), -0.5);
  assert.equal(share(0, 0), 0);
  assert.equal(share(1, 0), 1);
});

test("poses and numbers in words", () => {
  assert.equal(poseWords({ dy: -4, dx: 7, angle: -12 }), "4 up, 7 right, turned 12° anticlockwise");
  assert.equal(poseWords({ dy: 0, dx: 0, angle: 0 }), "in place");
  assert.equal(poseWords({ dy: 0.04, dx: -1.5, angle: 0 }, 1), "1.5 left");
  assert.equal(poseShort({ dy: 2.4, dx: 0.2, angle: 6 }), "↓2 ↻6°");
  assert.equal(number(-2173.7), "−2174");
  assert.equal(number(0.0421), "0.042");
  assert.equal(number(null), "∞");
  assert.equal(percent(0.004), "<1 %");
  assert.equal(percent(0), "0 %");
});

test("the finding says what was found, what is left, and what to do with an empty image", () => {
  const a = { part: 1, dy: -4, dx: 0, angle: 0, gain: 1 }, b = { part: 0, dy: 0, dx: 0, angle: 12, gain: 1 };
  const left = (first: number, second = 0, both = false) => ({ both, kind: new Uint8Array(200), first, second });
  assert.equal(finding([a, b], true, 100, left(3)), "Two parts explain it: part 2 (4 up) and part 1 (turned 12° clockwise). 3 % of the ink is unexplained.");
  assert.equal(finding([a], true, 100, left(0, 9)), "One part explains it: part 2 (4 up). All ink is explained.");
  assert.equal(finding([a, b], false, 0, left(4, 50, true)), "Two parts explain it: part 2 and part 1. 25 % of the pixels are left to chance, and 2 % contradict them.");
  assert.equal(finding([a], false, 9, left(0, 0, true)), "One part explains it: part 2. They vote on every pixel.");
  assert.match(finding([], true, 0, left(0)), /empty/);
  assert.match(finding([], true, 5, left(5)), /No part/);
});
