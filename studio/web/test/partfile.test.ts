import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../src/partfile.ts";

test("a part of a table as CSV: a line for each column, quoted where it must be", () => {
  const csv = csvOf({ table: true, columns: ['a "b", c', "plain", "=1+1"], height: 1, width: 3 },
    { template: Float32Array.of(0.9, 0.5, 0.1), columns: [{ name: 'a "b", c', index: 0, p: 0.9, q: 0.25 }, { name: "=1+1", index: 2, p: 0.1, q: 0.5 }] });
  assert.equal(csv, 'column,probability,without,votes\n"a ""b"", c",0.9,0.25,1\nplain,0.5,0.5,0\n=1+1,0.1,0.5,1\n');
  assert.match(csvOf({ table: true, columns: null, height: 1, width: 1 }, { template: Float32Array.of(1), columns: [] }), /\ncolumn 1,1,1,0\n/);
});

test("a part of images as CSV: its template, a line for each row of pixels", () => {
  assert.equal(csvOf({ table: false, columns: null, height: 2, width: 3 }, { template: Float32Array.of(0, 0.5, 1, 0.25, 1 / 3, 0), columns: null }), "0,0.5,1\n0.25,0.333333,0\n");
});
