// What the page computes itself, for pictures, is what the server computes.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Detail, Explanation, Expert, Labelled, Model, Sample } from "../src/api.ts";
import { compose, place, speakers } from "../src/compose.ts";
import { bytesOf, floatsOf } from "../src/decode.ts";
import { world } from "./world.ts";

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${world.studio.url}/v1/${path}`, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as T;
}

for (const [id, data] of [["letter-t", "letters-t"], ["quadrants", "quadrants"]]) {
  test(`experts at their poses, compositions and speakers: ${id}`, async () => {
    const model = await ask<Model>(`models/${id}`), both = model.rule !== "max", { height, width } = model, q = Math.fround(model.q);
    const templates = (await ask<{ experts: Expert[] }>(`models/${id}/experts`)).experts.map((e) => floatsOf(e.template));
    const images = (await ask<{ images: Labelled[] }>(`data/${data}/images?n=40`)).images.map((i) => ({ height: i.height, width: i.width, bits: i.bits }));
    const { explanations } = await ask<{ explanations: (Explanation & { detail: Detail })[] }>("explain", { model: id, images, detail: true });
    const poses = new Set<string>();
    for (const e of explanations) {
      const placed = e.picks.map((p) => place(templates[p.expert], model, p, { height, width })), votes = e.detail.steps.map((s) => floatsOf(s.votes));
      e.picks.forEach((p, j) => {
        poses.add(`${p.dy} ${p.dx} ${p.angle}`);
        const same = votes[j].every((v, i) => (Number.isNaN(v) ? !(both ? placed[j][i] !== q && !Number.isNaN(placed[j][i]) : placed[j][i] > q) : v === placed[j][i]));
        assert.ok(same, `image ${e.index}, pick ${j}`);
      });
      const p = floatsOf(e.detail.steps[votes.length - 1]?.p ?? e.detail.start), own = compose(placed, model.q, both, height * width).p;
      assert.ok(p.every((v, i) => Math.abs(v - own[i]) < 1e-6), `composition of image ${e.index}`);
      const said = bytesOf(e.detail.speakers), heard = speakers(floatsOf(e.detail.start), p, votes, votes.length);
      assert.ok(said.every((s, i) => s === heard[i] + 1), `speakers of image ${e.index}`);
    }
    assert.ok(poses.size > (both ? 0 : 20), `${poses.size} poses`);
    if (model.components.length === 0) return;
    const { samples } = await ask<{ samples: Sample[] }>("sample", { model: id, n: 1, along: [1.3, -0.7, 2] }); // angles that no grid has
    const own = compose(samples[0].picks.map((p) => place(templates[p.expert], model, p, { height, width })), model.q, both, height * width).p;
    assert.ok(floatsOf(samples[0].p).every((v, i) => Math.abs(v - own[i]) < 1e-6));
  });
}
