import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, floatsOf } from "../src/decode.ts";
import { EventParser, eventsOf } from "../src/sse.ts";

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

const stream = ": hello\nid: 7\nevent: progress\ndata: {\"a\":1}\n\ndata: one\r\ndata: two\r\n\r\nevent: empty\n\nid: 8\rdata:x\r\rdata: not finished";
const events = [
  { event: "progress", data: '{"a":1}', id: "7" },
  { event: "message", data: "one\ntwo", id: "7" },
  { event: "message", data: "x", id: "8" },
];

test("events are the same however the text is cut", () => {
  for (let size = 1; size <= stream.length; size++) {
    const p = new EventParser(), got = [];
    for (let i = 0; i < stream.length; i += size) got.push(...p.push(stream.slice(i, i + size)));
    assert.deepEqual(got, events, `pieces of ${size}`);
  }
});

test("events come out of a response, with characters cut in two", async () => {
  const bytes = new TextEncoder().encode("data: é→\n\n");
  const body = new ReadableStream({
    start(c) {
      for (const b of bytes) c.enqueue(new Uint8Array([b]));
      c.close();
    },
  });
  const got = [];
  for await (const e of eventsOf(new Response(body))) got.push(e.data);
  assert.deepEqual(got, ["é→"]);
});
