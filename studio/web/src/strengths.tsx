import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { plural, short } from "./format.ts";
import type { Known } from "./experts.tsx";
import { css, hue } from "./palette.ts";

/** The strongest columns of a part; a button opens all. */
export function Strengths({ expert, most, onAll }: { expert: Known; most: number; onAll?: () => void }): JSX.Element {
  const columns = expert.columns ?? [];
  return (
    <div class="strengths">
      {columns.slice(0, most).map((c) => <Strength key={c.index} name={c.name} p={c.p} q={c.q} expert={expert.index} />)}
      {columns.length === 0 && <span class="fine">It has no vote on any column.</span>}
      {columns.length > most && <span class="fine">and {plural(columns.length - most, "more column")}</span>}
      {onAll && <button type="button" class="more" aria-haspopup="dialog" onClick={onAll}>Details…<span class="hidden"> of part {expert.index + 1}</span></button>}
    </div>
  );
}

/** One column: its name in full, the vote as a bar, and as a percentage. */
export function Strength({ name, p, q, expert, mark, kind = "" }: { name: string; p: number; q: number; expert: number; mark?: JSX.Element; kind?: string }): JSX.Element {
  return (
    <span class={`strength ${kind}`}>
      <span class="name">{mark}{name}</span>
      <span class="value">{short(p)}</span>
      <Vote p={p} q={q} expert={expert} />
    </span>
  );
}

/** A bar from the abstention value to the vote: to the right for yes, to the left for no. */
export function Vote({ p, q, expert }: { p: number; q: number; expert?: number }): JSX.Element {
  const low = Math.min(p, q), high = Math.max(p, q);
  return (
    <span class="vote" aria-hidden="true">
      <span class={p >= q ? "yes" : "no"} style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%`, ...(expert === undefined ? {} : { backgroundColor: css(hue(expert)) }) }} />
      <i style={{ left: `${100 * q}%` }} />
    </span>
  );
}

type Key = "strength" | "name" | "p" | "q";

interface Column {
  name: string;
  index: number;
  p: number;
  q: number;
}

const orders: Record<Key, (a: Column, b: Column) => number> = {
  strength: (a, b) => Math.abs(b.p - b.q) - Math.abs(a.p - a.q),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  p: (a, b) => b.p - a.p,
  q: (a, b) => b.q - a.q,
};

/** All columns of a part with their percentages, to sort and to search. */
export function AllColumns({ expert }: { expert: Known }): JSX.Element {
  const [search, setSearch] = useState(""), [by, setBy] = useState<Key>("strength"), [down, setDown] = useState(false);
  const all = expert.columns ?? [], text = search.trim().toLowerCase();
  const shown = all.filter((c) => c.name.toLowerCase().includes(text)).sort(orders[by]);
  if (down) shown.reverse();
  const head = (key: Key, title: string) => (
    <th scope="col" aria-sort={by === key ? (down === (key === "name") ? "descending" : "ascending") : undefined}>
      <button type="button" class="sort" onClick={() => { setDown(by === key && !down); setBy(key); }}>{title}{by === key && <span aria-hidden="true"> {down === (key === "name") ? "↓" : "↑"}</span>}</button>
    </th>
  );
  return (
    <div class="allcolumns">
      <label class="field">Search {plural(all.length, "column")} <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} /></label>
      <p class="hidden" role="status">{text && `${shown.length} of ${all.length} columns`}</p>
      <table>
        <thead><tr>{head("name", "column")}{head("p", "with it")}{head("q", "without")}{head("strength", "vote")}</tr></thead>
        <tbody>
          {shown.map((c) => (
            <tr key={c.index}>
              <th scope="row" class="wrap">{c.name}</th><td class="number">{short(c.p)}</td><td class="number">{short(c.q)}</td><td class="votes"><Vote p={c.p} q={c.q} expert={expert.index} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p class="fine">{all.length === 0 ? "It has no vote on any column." : `No column is called “${search}”.`}</p>}
    </div>
  );
}
