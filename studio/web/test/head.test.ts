import assert from "node:assert/strict";
import { test } from "node:test";
import { head, headOf } from "../src/head.ts";
import { plain } from "../src/plain.ts";

test("the columns of a table, and which hold words", () => {
  assert.deepEqual(headOf("site,Poa annua,Carex\nUlm,1,yes\nBonn,0,\n"), { names: ["site", "Poa annua", "Carex"], text: ["site"] });
  assert.deepEqual(headOf('\uFEFF"site; or ""plot""";a;b\r\nUlm;1;0\r\n'), { names: ['site; or "plot"', "a", "b"], text: ['site; or "plot"'] });
  assert.deepEqual(headOf("a\tb\n2.5\t1\n")?.text, [], "numbers are no words");
  for (const none of ["", "1,0,1\n0,1,1\n", "only\n1\n", "a,a\n1,0\n", "\u0000\u0001,,"]) assert.equal(headOf(none), null, JSON.stringify(none));
});

test("only tables of text are looked into", async () => {
  const file = (name: string) => Object.assign(new Blob(["site,a\nUlm,1\n"]), { name });
  assert.deepEqual((await head(file("x.CSV")))?.names, ["site", "a"]);
  assert.equal(await head(file("x.npz")), null);
});

test("messages speak of what the page has, not of flags", () => {
  assert.equal(plain('--meta "a b" keeps it as a label, --categories height, --threshold T or --columns chooses others'),
    'the choice “label” for "a b" keeps it as a label, the choice “categories” for height, a threshold T in “Numbers and greys become on and off” or the choice “left out” leaves it out');
  assert.equal(plain("nothing to change, 3 -- 4"), "nothing to change, 3 -- 4");
});
