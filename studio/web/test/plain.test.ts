import assert from "node:assert/strict";
import { test } from "node:test";
import { controls, plain } from "../src/plain.ts";

test("messages name the controls of the page, not flags of the command", () => {
  for (const [said, wanted] of [
    ["made binary at 169 of 255 (Otsu); --threshold N sets it", "made binary at 169 of 255 (Otsu); “Numbers and greys become on and off” sets it"],
    ["--threshold 0 makes presences of counts", "“by the threshold …” with 0 makes presences of counts"],
    ["if these are counts, --threshold 0 makes presences of them", "if these are counts, “by the threshold …” with 0 makes presences of them"],
    ["give --threshold T to convert them to bits", "give “Numbers and greys become on and off” to convert them to bits"],
    ["give --size 56x56 to crop each to its ink", "give 56x56 in “Bring the pictures to” to crop each to its ink"],
    ["--size 2x3 makes its rows images", "2x3 in “The rows are images of” makes its rows images"],
    ["say --items if each line is a list", "say “a list of items, such as a basket” if each line is a list"],
    ['--column "der Betrag=label" (and the others likewise) keeps them as labels, =category makes a column of bits for each value, --columns chooses others; --column \'*=number\' learns from the numbers as they are',
      'the choice “a label” for der Betrag (and the others likewise) keeps them as labels, the choice “categories” makes a column of bits for each value, the choice “left out” leaves a column out; “Numbers and greys become on and off”: “not at all: they are real values” learns from the numbers'],
    ["bits (greater than T is on); --columns chooses others", "bits (greater than T is on); the choice “left out” leaves a column out"],
    ["choose other columns with --columns", "choose other columns by the choice “left out”"],
    ["choose one with --array NAME", "choose one with the command's option “array” NAME"],
    ["uploads are switched off on this server (--no-upload)", "uploads are switched off on this server (--no-upload)"],
  ]) assert.equal(plain(said), wanted);
});

test("no flag of reading is left, and what is said in words stays", () => {
  for (const flag of ["threshold N", "threshold T", "threshold auto", "threshold 0.5", "threshold", "size 2x2", "size HxW", "columns", "items", "items=a,b", "invert", "names", "delimiter ;"]) {
    const said = plain(`so it is; --${flag} changes it`);
    assert.doesNotMatch(said, /--/, flag);
    assert.equal(plain(said), said);
  }
  assert.equal(new Set(Object.values(controls)).size, Object.keys(controls).length);
});
