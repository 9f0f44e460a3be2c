import assert from "node:assert/strict";
import { test } from "node:test";
import { atHand, format, parse } from "../src/place.ts";

test("an address is read as it was written", () => {
  for (const p of [
    { view: "rows", model: "m1", data: "d2", row: 0, part: 3 }, { view: "draw", model: "letter-t", data: "letters-t", row: 11 }, { view: "experts", model: "a b&c", part: 0 },
    { view: "learn", data: "d1" }, { view: "rules" }, { view: "rows", model: "m4", data: "d3", row: 2 },
  ] as const) {
    const back = parse(format(p));
    assert.deepEqual(Object.fromEntries(Object.entries(back).filter(([, v]) => v !== undefined)), p);
  }
  assert.equal(format({ view: "rows", model: "m1", data: "d1", row: 11 }), "#/rows?model=m1&data=d1&row=12", "rows count from 1");
  assert.equal(format({ view: "rules", model: "m1", row: 3 }), "#/rules", "a view shows what it has");
});

test("an address that makes no sense says nothing", () => {
  for (const hash of ["", "#", "#/", "#/nowhere", "#/draw?row=-1&part=x", "#/rows?row=0", "#/rows?row=99999999999", "#%zz", "#/draw?%zz"]) {
    const p = parse(hash);
    assert.equal(p.row, undefined, hash);
    assert.equal(p.part, undefined, hash);
  }
  assert.equal(parse("#/nowhere").view, undefined);
});

test("Learn begins with the data at hand, not with examples to draw", () => {
  const letters = { id: "letters-t", fixed: true }, baskets = { id: "baskets", fixed: true }, served = { id: "d1", fixed: true }, opened = { id: "d2", fixed: false };
  const builtin = { table: false, source: "built-in" }, invented = { table: true, source: "built-in" }, table = { table: true, source: "file" }, image = { table: false, source: "learned" };
  assert.equal(atHand(builtin, [letters, baskets, opened], [letters, opened]), null, "what others opened is not at hand");
  assert.equal(atHand(builtin, [letters, served], [letters]), served);
  assert.equal(atHand(invented, [letters, baskets], [baskets]), baskets);
  assert.equal(atHand(table, [letters, baskets, served, opened], [served]), served);
  assert.equal(atHand(table, [letters, baskets, served, opened], [served, opened]), opened);
  assert.equal(atHand(image, [letters, opened], [letters, opened]), opened);
  assert.equal(atHand(image, [letters], [letters]), null);
  assert.equal(atHand(null, [], []), null);
});
