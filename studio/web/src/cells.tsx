import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Model } from "./api.ts";
import { percent } from "./format.ts";
import { called, column } from "./names.ts";
import { Badge } from "./pixels.tsx";
import type { Layer, Row } from "./rows.tsx";

const filters = { all: "all cells", on: "what is on", none: "what nothing explains", unknown: "what is unknown" };
type Filter = keyof typeof filters;

/** With more cells than this they can be searched. */
const many = 24;

interface Props {
  model: Model;
  row: Row;
  predicted: Map<number, number>;
  layer: Layer | null;
  onChange: (i: number, value: number | null) => void;
}

/** The cells of a row as three-way switches; one of them is in the tab order, and arrow keys move between them. */
export function Cells({ model, row, predicted, layer, onChange }: Props): JSX.Element {
  const [focus, setFocus] = useState(0), [search, setSearch] = useState(""), [filter, setFilter] = useState<Filter>("all"), list = useRef<HTMLDivElement>(null);
  const text = search.trim().toLowerCase(), alone = (i: number) => layer !== null && row[i] === 1 && layer.p[i] < 0.5;
  const speaker = (i: number) => (layer && row[i] === 1 && layer.speaker[i] >= 0 && !alone(i) ? layer.picks[layer.speaker[i]].part : undefined);
  const fits = (i: number) => ({ all: true, on: row[i] === 1, unknown: row[i] === null, none: alone(i) })[filter] && (!text || column(model, i).toLowerCase().includes(text));
  const shown = Array.from(row.keys()).filter((i) => fits(i) || (i === focus && filter !== "all" && !text)), stop = shown.includes(focus) ? focus : shown[0];
  const move = (to: number) => {
    const i = shown[Math.min(shown.length - 1, Math.max(0, to))];
    setFocus(i);
    list.current?.querySelector<HTMLElement>(`[data-cell="${i}"]`)?.focus();
  };
  const key = (e: KeyboardEvent, i: number) => {
    const value = { "1": 1, "0": 0, "?": null, "Delete": null }[e.key], at = shown.indexOf(i);
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    if (value !== undefined) onChange(i, value);
    else if (step) move(at + step);
    else if (e.key === "Home") move(0);
    else if (e.key === "End") move(shown.length - 1);
    else return;
    e.preventDefault();
  };
  const unknown = row.includes(null);
  return (
    <>
      {model.width > many && (
        <div class="row">
          <input type="search" class="find" aria-label="Search the columns" placeholder={`Search ${model.width} columns`} value={search} onInput={(e) => setSearch(e.currentTarget.value)} />
          <select aria-label="Cells shown" value={filter} onChange={(e) => setFilter(e.currentTarget.value as Filter)}>
            {Object.entries(filters).map(([k, v]) => <option key={k} value={k}>{v}</option>)}
          </select>
        </div>
      )}
      <div class="cells" role="group" aria-label="Cells of the row" ref={list}>
        {shown.map((i) => {
          const c = row[i], name = column(model, i), p = c === null ? predicted.get(i) : undefined, by = speaker(i);
          const usual = c === 1 && layer !== null && by === undefined && !alone(i);
          const why = p !== undefined ? `, unknown, on with ${percent(p)}` : by !== undefined ? `, explained by ${called(model, by)}` : alone(i) ? ", nothing explains it" : usual ? ", the background explains it" : "";
          return (
            <button key={i} type="button" role="checkbox" data-cell={i} aria-checked={c === 1 ? "true" : c === 0 ? "false" : "mixed"} tabIndex={i === stop ? 0 : -1}
              class={`bit ${["off", "on", "unknown"][c ?? 2]} ${alone(i) ? "alone" : ""}`} aria-label={name + why}
              onFocus={() => setFocus(i)} onKeyDown={(e) => key(e, i)} onClick={() => onChange(i, c === 0 ? null : c === 1 ? 0 : 1)}>
              <span class="state" aria-hidden="true">{c ?? "?"}</span>
              <span class="name">{name}</span>
              {by !== undefined && <Badge expert={by} />}
              {p !== undefined && <span class="p"><span class="bar"><span style={{ width: `${100 * p}%` }} /></span>{percent(p)}</span>}
            </button>
          );
        })}
      </div>
      {shown.length === 0 && <p class="fine">{text ? `No column here is called “${search}”.` : `There is no cell of ${filters[filter]}.`}</p>}
      <p class="fine">
        Click a cell: on, off, unknown. Keys: 1, 0, ? and arrows. A number in a cell is the part that explains it; a dashed frame says that nothing does. A plain 1 is common anyway and needs no part.
        {unknown && " Unknown cells show the probability of “on”, averaged over the best explanations."}
      </p>
    </>
  );
}
