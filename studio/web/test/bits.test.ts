import assert from "node:assert/strict";
import { test } from "node:test";
import { Bits, bitsOf, drawLine, greyOf, OFF, ON, otsu, UNKNOWN } from "../src/bits.ts";

test("bits survive the way to the server and back", () => {
  const image = { height: 2, width: 3, bits: "01?10?" };
  const b = Bits.parse(image);
  assert.deepEqual([...b.cells], [OFF, ON, UNKNOWN, ON, OFF, UNKNOWN]);
  assert.deepEqual(b.toImage(), image);
  assert.equal(b.ink(), 2);
  assert.throws(() => Bits.parse({ height: 2, width: 2, bits: "010" }));
});

test("a line sets what is within half its width, and nothing else", () => {
  for (const [a, b, width] of [
    [{ y: 2.5, x: 2.5 }, { y: 2.5, x: 14.5 }, 3],
    [{ y: 1, x: 1 }, { y: 18, x: 11 }, 4.5],
    [{ y: -5, x: 8 }, { y: 30, x: 9 }, 2], // ends outside
    [{ y: 10, x: 10 }, { y: 10, x: 10 }, 5], // a dot
  ] as const) {
    const bits = new Bits(20, 20);
    drawLine(bits, a, b, width, ON);
    for (let i = 0; i < 400; i++) {
      const p = { y: Math.floor(i / 20) + 0.5, x: (i % 20) + 0.5 };
      // The distance by brute force: over many points of the segment.
      let d = Infinity;
      for (let t = 0; t <= 4000; t++) d = Math.min(d, Math.hypot(p.y - a.y - (t / 4000) * (b.y - a.y), p.x - a.x - (t / 4000) * (b.x - a.x)));
      if (Math.abs(d - width / 2) < 0.01) continue; // on the rim: either is right
      assert.equal(bits.cells[i], d < width / 2 ? ON : OFF, `pixel ${i} at distance ${d}`);
    }
  }
});

test("a pen thinner than a pixel leaves a mark, and an eraser takes it off", () => {
  const bits = new Bits(5, 5);
  drawLine(bits, { y: 2.1, x: 2.1 }, { y: 2.1, x: 2.1 }, 0.1, ON);
  assert.equal(bits.at(2, 2), ON);
  assert.equal(bits.ink(), 1);
  drawLine(bits, { y: 2.1, x: 0 }, { y: 2.1, x: 5 }, 1, OFF);
  assert.equal(bits.ink(), 0);
});

test("lines that end outside do not wrap around", () => {
  const bits = new Bits(4, 4);
  drawLine(bits, { y: 1.5, x: -3 }, { y: 1.5, x: -1 }, 1, ON);
  drawLine(bits, { y: 9, x: 2 }, { y: 12, x: 2 }, 1, ON);
  assert.equal(bits.ink(), 0);
});

/** A grey picture of rows of digits: 0 black to 9 white. */
function grey(...rows: string[]) {
  const rgba = new Uint8ClampedArray(rows.join("").split("").flatMap((d) => [0, 0, 0].map(() => (Number(d) * 255) / 9).concat(255)));
  return greyOf(rgba, rows.length, rows[0].length);
}

test("Otsu's threshold lies between two classes", () => {
  const t = otsu(grey("0199", "1089").values);
  assert.ok(t > 255 / 9 && t < (8 * 255) / 9, String(t));
  assert.equal(otsu(grey("99", "99").values), 127.5);
});

test("a picture of the right size is taken as it is, dark or light ink", () => {
  const want = "0100010001100000";
  assert.equal(bitsOf(grey("9099", "9099", "9009", "9999"), 4, 4).toImage().bits, want);
  assert.equal(bitsOf(grey("0900", "0900", "0990", "0000"), 4, 4).toImage().bits, want, "white on black");
});

test("transparent parts are paper", () => {
  const g = greyOf(new Uint8ClampedArray([0, 0, 0, 0, 0, 0, 0, 255]), 1, 2);
  assert.deepEqual([...g.values], [255, 0]);
});

test("a picture of another size is cut to its ink, scaled and centred", () => {
  const rows = Array.from({ length: 100 }, (_, r) => Array.from({ length: 60 }, (__, c) => (r >= 10 && r < 90 && c >= 5 && c < 25 ? "0" : "9")).join(""));
  const b = bitsOf(grey(...rows), 18, 18); // 80 x 20 of ink: 16 x 4 of 18 x 18
  const on = [...b.cells].flatMap((v, i) => (v === ON ? [[Math.floor(i / 18), i % 18]] : []));
  assert.equal(on.length, 16 * 4);
  assert.deepEqual([Math.min(...on.map((p) => p[0])), Math.max(...on.map((p) => p[0]))], [1, 16]);
  assert.deepEqual([Math.min(...on.map((p) => p[1])), Math.max(...on.map((p) => p[1]))], [7, 10]);
  assert.equal(bitsOf(grey("99999", "99999"), 4, 4).ink(), 0, "an empty picture");
});
