import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { head, headOf, roleOf } from "../src/head.ts";
import { plain } from "../src/plain.ts";

test("the columns of a table, and which hold words", () => {
  assert.deepEqual(headOf("site,Poa annua,Carex\nUlm,1,yes\nBonn,0,\n"), { names: ["site", "Poa annua", "Carex"], text: ["site"] });
  assert.deepEqual(headOf('\uFEFF"site; or ""plot""";a;b\r\nUlm;1;0\r\n'), { names: ['site; or "plot"', "a", "b"], text: ['site; or "plot"'] });
  assert.deepEqual(headOf("a\tb\n2.5\t1\n")?.text, [], "numbers are no words");
  for (const none of ["", "1,0,1\n0,1,1\n", "only\n1\n", "a,a\n1,0\n", "\u0000\u0001,,"]) assert.equal(headOf(none), null, JSON.stringify(none));
});

test("the words of cells are those of package dataset", () => {
  const source = readFileSync("../../dataset/words.go", "utf8").split("var cellWords")[1].split("\n}")[0], all = [...source.matchAll(/"([^"]*)":/g)].map((m) => m[1]);
  assert.ok(all.length > 40);
  for (const word of all) assert.deepEqual(headOf(`site,a,b\nUlm,${word},1\n`)?.text, ["site"], word);
  for (const number of ["97,33", "-1", "+2.5", ".5", "1e-3", "0.5", "0"]) assert.deepEqual(headOf(`site;a;b\nUlm;${number};1\n`)?.text, ["site"], number);
  for (const other of ["maybe", "01.03.2024", "007", "1.2.3", "12 kg"]) assert.deepEqual(headOf(`site;a;b\nUlm;${other};1\n`)?.text, ["site", "a"], other);
});

test("a column is shown as what it was read as, whatever its cells look like", () => {
  const columns = { names: ["name", "age", "likes", "colour", "odd"], text: ["name", "likes", "colour"] };
  const roles = (read: Parameters<typeof roleOf>[1]) => columns.names.map((c) => roleOf(c, read, columns));
  assert.deepEqual(roles(null), ["label", "data", "label", "label", "data"]);
  assert.deepEqual(roles({ columns: ["likes", "colour=red", "colour=blue"], labels: { name: {}, age: {} } }), ["label", "label", "data", "categories", "out"]);
  assert.deepEqual(roles({ columns: null, labels: { age: {} } }), ["label", "label", "label", "label", "data"]);
});

test("only tables of text are looked into", async () => {
  const file = (name: string) => Object.assign(new Blob(["site,a\nUlm,1\n"]), { name });
  assert.deepEqual((await head(file("x.CSV")))?.names, ["site", "a"]);
  assert.equal(await head(file("x.npz")), null);
});

test("messages speak of what the page has, not of flags", () => {
  assert.equal(plain('--meta "a b" keeps it as a label, --categories height, --threshold T or --columns chooses others'),
    'the choice “label” for "a b" keeps it as a label, the choice “categories” for height, a threshold T in “Numbers and greys become on and off” or the choice “left out” leaves out height');
  assert.equal(plain("nothing to change, 3 -- 4"), "nothing to change, 3 -- 4");
});
