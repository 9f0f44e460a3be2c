import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../src/history.ts";
import { Latest } from "../src/latest.ts";

test("undo and redo go back and forth; a change forgets what could be redone", () => {
  const h = new History<number>();
  assert.equal(h.undo(0), undefined);
  h.push(0); // 0 -> 1
  h.push(1); // 1 -> 2
  assert.equal(h.undo(2), 1);
  assert.equal(h.undo(1), 0);
  assert.equal(h.undo(0), undefined);
  assert.equal(h.redo(0), 1);
  assert.equal(h.redo(1), 2);
  assert.equal(h.redo(2), undefined);
  assert.equal(h.undo(2), 1);
  h.push(1); // 1 -> 5
  assert.ok(!h.canRedo);
  assert.equal(h.undo(5), 1);
});

test("only so many steps are kept", () => {
  const h = new History<number>(3);
  for (let i = 0; i < 10; i++) h.push(i);
  assert.deepEqual([h.undo(10), h.undo(9), h.undo(8), h.undo(7)], [9, 8, 7, undefined]);
});

test("the latest input is always run, those between are not, one at a time", async () => {
  const ran: number[] = [], shown: number[] = [];
  let busy = 0, release = () => {};
  const l = new Latest<number, number>(
    async (i) => {
      ran.push(i);
      assert.equal(++busy, 1);
      await new Promise<void>((r) => (release = r));
      busy--;
      if (i === 3) throw new Error("broken");
      return 10 * i;
    },
    (o) => shown.push(o),
    () => shown.push(-1),
  );
  const settle = () => new Promise((r) => setTimeout(r, 0));
  for (const i of [1, 2, 3]) l.ask(i);
  release();
  await settle();
  l.ask(4);
  release();
  await settle();
  release();
  await settle();
  assert.deepEqual(ran, [1, 3, 4]);
  assert.deepEqual(shown, [10, -1, 40]); // an error does not stop it
});
