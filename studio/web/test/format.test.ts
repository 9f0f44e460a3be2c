import assert from "node:assert/strict";
import { test } from "node:test";
import { count, plural } from "../src/format.ts";

test("one of a thing, or several", () => {
  assert.deepEqual([plural(0, "image"), plural(1, "image"), plural(12, "row"), plural(1, "more column")], ["0 images", "1 image", "12 rows", "1 more column"]);
  assert.deepEqual([count(0, "part"), count(1, "part"), count(2, "part"), count(14, "part")], ["No parts", "One part", "Two parts", "14 parts"]);
});
