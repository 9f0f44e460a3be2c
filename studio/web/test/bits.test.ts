import assert from "node:assert/strict";
import { test } from "node:test";
import { Bits, drawLine, OFF, ON, UNKNOWN } from "../src/bits.ts";

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
