import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, floatsOf } from "../src/decode.ts";

test("floats are little-endian, with NaN and infinities", () => {
  const want = [0, 1, -2.5, Math.fround(0.1), NaN, Infinity, -Infinity];
  const b = Buffer.alloc(4 * want.length);
  want.forEach((v, i) => b.writeFloatLE(v, 4 * i));
  assert.deepEqual([...floatsOf(b.toString("base64"))], want);
  assert.deepEqual([...floatsOf("")], []);
  assert.throws(() => floatsOf(Buffer.from([1, 2, 3]).toString("base64")));
  assert.throws(() => floatsOf("not base64!"));
  assert.deepEqual([...bytesOf("AAH/")], [0, 1, 255]);
});
