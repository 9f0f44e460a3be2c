import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { floatsOf } from "./decode.ts";
import { percent, plural } from "./format.ts";
import { deviationOf, digits, greyOf } from "./greys.ts";
import { NameField } from "./namefield.tsx";
import { column } from "./names.ts";
import { css, hue } from "./palette.ts";
import { Badge, Pixels } from "./pixels.tsx";
import { api, namePart, server, useCell } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";
import type { RealModel } from "./values.tsx";

/** The parts as signed deviations from the background; each has a name that can be changed. */
export function RealParts({ real }: { real: RealModel }): JSX.Element {
  const { model, parts } = real, s = useCell(server);
  return (
    <section aria-label="All parts">
      <h2>{parts.length === 0 ? "No parts: the background alone" : "All parts"}</h2>
      {parts.length > 0 && <p class="fine">{model.table ? "What a part says of a column, beside what is usual there; bars are in deviations of the column." : `Deviations from the background: yellow is ${digits(real.scale.full)} brighter or more, blue as much darker; nothing where a part has no vote.`}</p>}
      <ul class={`gallery ${model.table ? "parts" : ""}`}>
        {parts.map((p) => (
          <li key={p.index} class="card expert">
            <span class="row"><Badge expert={p.index} /><NameField name={model.parts?.[p.index]?.name ?? ""} empty={`part ${p.index + 1}`} label={`rename part ${p.index + 1}`} locked={s?.upload === false} onSave={(name) => namePart(model, p.index, name)} /></span>
            {model.table ? <Columns real={real} k={p.index} /> : <PartImage real={real} k={p.index} />}
            <p class="fine">{!model.table && p.words}{p.usage !== null && `${model.table ? "" : "; "}in ${percent(p.usage)} of the ${model.table ? "rows" : "images"}`}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function PartImage({ real, k }: { real: RealModel; k: number }): JSX.Element {
  const { model, ground, parts } = real, colour = deviationOf(usePaper(), real.scale), last = ground.mean.length - 1;
  return <Pixels height={model.frame[0]} width={model.frame[1]} label={`Part ${k}: ${parts[k].words}`} colour={(i) => colour(parts[k].mean[i] - ground.mean[Math.min(i, last)])} across={200} />;
}

/** The columns of which a part says most, the strongest first; all of them on request. */
function Columns({ real, k }: { real: RealModel; k: number }): JSX.Element {
  const { model, ground, parts } = real, part = parts[k], most = 8, [all, setAll] = useState(false);
  const off = (i: number) => (part.mean[i] - ground.mean[i]) / ground.deviation[i];
  const votes = Array.from(part.mean.keys()).filter((i) => !Number.isNaN(part.mean[i])).sort((a, b) => Math.abs(off(b)) - Math.abs(off(a)));
  return (
    <div class="strengths">
      {votes.slice(0, all ? undefined : most).map((i) => {
        const share = 50 * Math.min(1, Math.abs(off(i)) / 4);
        return (
          <span key={i} class="strength">
            <span class="name">{column(model, i)}</span>
            <span class="value"><b>{digits(part.mean[i])}</b> ± {digits(part.deviation[i])}, usually {digits(ground.mean[i])}</span>
            <span class="vote" aria-hidden="true"><span class={off(i) >= 0 ? "yes" : "no"} style={{ left: `${off(i) >= 0 ? 50 : 50 - share}%`, width: `${share}%`, backgroundColor: css(hue(k)) }} /><i style={{ left: "50%" }} /></span>
          </span>
        );
      })}
      {votes.length > most && <button type="button" class="more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Fewer" : plural(votes.length - most, "more column")}</button>}
    </div>
  );
}

/** New rows or images, drawn from the model. */
export function RealSamples({ real }: { real: RealModel }): JSX.Element {
  const { model } = real, [seed, setSeed] = useState(1), n = model.table ? 6 : 12, paper = usePaper(), grey = greyOf(paper, real.scale, model.images[1]);
  const { answer, wrong } = useLatest((from: number) => api.sample(model.id, n, from, null, false), seed), samples = answer?.map((x) => floatsOf(x.values ?? "")) ?? [];
  return (
    <section class="card" aria-label="New samples">
      <div class="row"><h2>New {model.table ? "rows" : "images"} of the model</h2><button type="button" onClick={() => setSeed(seed + 1)}>Others</button><span class="fine">seed {seed}</span></div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      {model.table ? (
        <div class="scrolled" role="region" aria-label="New rows" tabIndex={0}>
          <table class="measured">
            <thead><tr>{Array.from({ length: model.width }, (_, i) => <th key={i} scope="col">{column(model, i)}</th>)}</tr></thead>
            <tbody>{samples.map((s, r) => <tr key={r}>{Array.from(s, (x, i) => <td key={i} class="number">{digits(x)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      ) : (
        <ul class="strip wide">{samples.map((s, r) => <li key={r}><Pixels height={model.images[0]} width={model.images[1]} label={`Sample ${r + 1}`} colour={(i) => grey(s[i], i)} across={140} /></li>)}</ul>
      )}
    </section>
  );
}
