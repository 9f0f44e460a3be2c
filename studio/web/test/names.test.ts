import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, called, column, fully, list, sentence, tell } from "../src/names.ts";

const model = { parts: [{ name: "" }, { name: "wet meadow" }], columns: ["Poa", "Veronica", "Salix", "Carex"] };

test("names, or numbers where there are none", () => {
  assert.deepEqual([called(model, 0), called(model, 1), called(null, 2)], ["part 1", "wet meadow", "part 3"]);
  assert.deepEqual([fully(model, 0), fully(model, 1)], ["part 1", "wet meadow (part 2)"]);
  assert.deepEqual([column(model, 2), column({ columns: null }, 2)], ["Salix", "column 3"]);
  assert.deepEqual([list([]), list(["a"]), list(["a", "b"]), list(["a", "b", "c"]), list(["a", "b", "c", "d", "e"])], ["", "a", "a and b", "a, b and c", "a, b, c and 2 more"]);
});

test("things of one name are told apart", () => {
  const all = [{ id: "d1", name: "mild.csv" }, { id: "d2", name: "rows.npz" }, { id: "d4", name: "mild.csv" }, { id: "d7", name: "mild.csv" }];
  assert.deepEqual(all.map((x) => apart(all, x)), ["mild.csv · 1", "rows.npz", "mild.csv · 2", "mild.csv · 3"]);
  assert.equal(apart([], all[0]), "mild.csv");
});

test("a row is told by its parts: why, what is unexplained, what is expected", () => {
  const f = (...v: number[]) => Float32Array.from(v), name = (i: number) => column(model, i);
  const told = tell([1, 1, 1, 0], f(0.1, 0.1, 0.1, 0.1), f(0.9, 0.8, 0.1, 0.9), [{ part: 1, votes: f(0.9, 0.8, NaN, 0.9) }], name);
  assert.deepEqual(told, { known: true, reasons: [{ part: 1, there: ["Poa", "Veronica"], absent: [] }], unexplained: ["Salix"], missing: ["Carex"] });
  assert.equal(sentence("Heidelberg", told, (k) => fully(model, k)), "Heidelberg: wet meadow (part 2) because of Poa and Veronica. Nothing explains Salix. It expects Carex, too.");
});

test("unknown cells are no reason; votes against are, where no other is", () => {
  const f = (...v: number[]) => Float32Array.from(v), name = (i: number) => column(model, i);
  const told = tell([null, null, 0, null], f(0.5, 0.5, 0.5, 0.5), f(0.9, 0.9, 0.1, 0.9), [{ part: 0, votes: f(0.9, 0.9, 0.1, NaN) }], name);
  assert.deepEqual(told, { known: true, reasons: [{ part: 0, there: [], absent: ["Salix"] }], unexplained: [], missing: [] });
  assert.equal(sentence("Row 7", told, String), "Row 7: 0 because Salix is absent. Nothing is left unexplained.");
  assert.equal(sentence("Row 1", tell([0], f(0.1), f(0.1), [], name), String), "Row 1: no part is needed, the background alone explains it.");
});

test("what is a reason is not called unexplained", () => {
  const f = (...v: number[]) => Float32Array.from(v), name = (i: number) => column(model, i), cells = [1, 1];
  const rare = tell(cells, f(0.1, 0.1), f(0.9, 0.4), [{ part: 0, gain: 3, votes: f(0.9, 0.4) }], name);
  assert.equal(sentence("Row 1", rare, String), "Row 1: 0 because of Poa and Veronica. Nothing is left unexplained.");
  const outvoted = tell(cells, f(0.1, 0.3), f(0.9, 0.2), [{ part: 0, gain: 2, votes: f(0.9, 0.6) }, { part: 1, gain: 1, votes: f(0.8, 0.1) }], name);
  assert.equal(sentence("Row 1", outvoted, String), "Row 1: 0 because of Poa; 1 because of Poa. Nothing explains Veronica.");
});

test("a row of which nothing is known has what most rows have", () => {
  const f = (...v: number[]) => Float32Array.from(v), name = (i: number) => column(model, i), votes = f(0.9, NaN), usual = { part: 0, gain: 0, votes };
  assert.equal(sentence("Row 1", tell([null, null], f(0.1, 0.1), f(0.9, 0.1), [usual], name), String), "Row 1: nothing is known of it. Most rows have 0.");
  assert.equal(sentence("Row 1", tell([null, null], f(0.1, 0.1), f(0.1, 0.1), [], name), String), "Row 1: nothing is known of it.");
  assert.equal(sentence("Row 1", tell([null, 0], f(0.1, 0.1), f(0.9, 0.1), [usual], name), String), "Row 1: 0 because most rows have it. Nothing is left unexplained.");
});
