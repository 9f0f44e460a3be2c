import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Bits } from "./bits.ts";
import type { Data } from "./api.ts";
import { label } from "./format.ts";
import { bitColour } from "./paint.ts";
import { Pixels } from "./pixels.tsx";
import { SetPicker, Steps } from "./choosers.tsx";
import { api } from "./store.ts";
import { usePaper } from "./theme.ts";
import { useLatest } from "./uselatest.ts";

/** The name of an example: its number, from 1, and its labels. */
export function exampleName(x: { index: number; labels?: Record<string, string> }): string {
  const labels = Object.entries(x.labels ?? {}).map(([k, v]) => `${k}\u00a0=\u00a0${label(v)}`);
  return `example ${x.index + 1}${labels.length ? `, ${labels.join(", ")}` : ""}`;
}

/** The name of an example with that of its data set: where a drawing comes from. */
export const exampleOf = (set: Data, x: { index: number; labels?: Record<string, string> }): string => `${set.name}, ${exampleName(x)}`;

/** A strip of images of a data set to choose from, a few at a time. */
export function Examples(props: { sets: Data[]; chosen: string; shown?: string; onChoose: (id: string) => void; onPick: (data: Data, position: number) => void; n?: number }): JSX.Element | null {
  const { sets, chosen, shown, onChoose, onPick, n = 12 } = props, paper = usePaper();
  const set = sets.find((d) => d.id === chosen) ?? sets[0];
  const [from, setFrom] = useState(0);
  useEffect(() => setFrom(0), [set?.id]);
  const { answer, wrong } = useLatest(async ([id, at]: [string, number]) => id ? (await api.images(id, at, n)).images : [], [set?.id ?? "", from]);
  if (!set) return null;
  const last = Math.max(0, Math.floor((set.n - 1) / n) * n);
  return (
    <section class="examples" aria-label="Examples from the loaded data">
      <div class="row">
        <span class="row">Examples from <SetPicker sets={sets} set={set} onChoose={onChoose} /></span>
        <Steps names={["Earlier examples", "Later examples"]} first={from === 0} last={from >= last} onStep={(by) => setFrom(Math.min(last, Math.max(0, from + by * n)))} />
      </div>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <ul class="strip">
        {answer?.map((x, i) => {
          const bits = Bits.parse(x);
          return (
            <li key={x.index}>
              <button type="button" class="tile" aria-current={shown === exampleOf(set, x) ? "true" : undefined} aria-label={`Explain ${exampleName(x)}`} onClick={() => onPick(set, from + i)}>
                <Pixels height={x.height} width={x.width} label="" colour={(at) => bitColour(paper, bits, at)} across={72} />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
