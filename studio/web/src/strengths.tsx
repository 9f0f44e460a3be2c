import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Vote } from "./api.ts";
import { digits, percent, plural } from "./format.ts";
import type { Known } from "./experts.tsx";
import { css, hue } from "./palette.ts";

/** The strongest columns of a part; a button opens all. */
export function Strengths({ expert, most, onAll }: { expert: Known; most: number; onAll?: () => void }): JSX.Element {
  const columns = expert.columns ?? [];
  return (
    <div class="strengths">
      {columns.slice(0, most).map((c) => <Strength key={c.index} vote={c} expert={expert.index} />)}
      {columns.length === 0 && <span class="fine">It has no vote on any column.</span>}
      {columns.length > most && <span class="fine">and {plural(columns.length - most, "more column")}</span>}
      {onAll && <button type="button" class="more" aria-haspopup="dialog" onClick={onAll}>Details…<span class="hidden"> of part {expert.index + 1}</span></button>}
    </div>
  );
}

/** One column: its name in full, the vote in words, and as a bar. */
export function Strength({ vote, expert, mark, kind = "" }: { vote: Vote; expert: number; mark?: JSX.Element; kind?: string }): JSX.Element {
  return (
    <span class={`strength ${kind}`}>
      <span class="name">{mark}{vote.name}</span>
      <span class="value">{vote.words}</span>
      <Bar vote={vote} expert={expert} />
    </span>
  );
}

/** A bar from what is said otherwise to the vote, to the right for yes or more; numbers stand between four deviations. */
function Bar({ vote: { p, q, spread }, expert }: { vote: Vote; expert: number }): JSX.Element {
  const at = (v: number) => (spread > 0 ? Math.max(0, Math.min(1, 0.5 + (v - q) / (8 * spread))) : v), low = at(Math.min(p, q)), high = at(Math.max(p, q));
  return (
    <span class="vote" aria-hidden="true">
      <span class={p >= q ? "yes" : "no"} style={{ left: `${100 * low}%`, width: `${100 * (high - low)}%`, backgroundColor: css(hue(expert)) }} />
      <i style={{ left: `${100 * at(q)}%` }} />
    </span>
  );
}

type Key = "strength" | "name" | "p" | "q";

const strength = ({ p, q, spread }: Vote) => Math.abs(p - q) / (spread || 1), text = (v: number, { spread }: Vote) => (spread > 0 ? digits(v) : percent(v));

const orders: Record<Key, (a: Vote, b: Vote) => number> = {
  strength: (a, b) => strength(b) - strength(a),
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  p: (a, b) => b.p - a.p,
  q: (a, b) => b.q - a.q,
};

/** All columns of a part with their percentages, to sort and to search. */
export function AllColumns({ expert }: { expert: Known }): JSX.Element {
  const [search, setSearch] = useState(""), [by, setBy] = useState<Key>("strength"), [down, setDown] = useState(false);
  const all = expert.columns ?? [], wanted = search.trim().toLowerCase();
  const shown = all.filter((c) => c.name.toLowerCase().includes(wanted)).sort(orders[by]);
  if (down) shown.reverse();
  const head = (key: Key, title: string) => (
    <th scope="col" aria-sort={by === key ? (down === (key === "name") ? "descending" : "ascending") : undefined}>
      <button type="button" class="sort" onClick={() => { setDown(by === key && !down); setBy(key); }}>{title}{by === key && <span aria-hidden="true"> {down === (key === "name") ? "↓" : "↑"}</span>}</button>
    </th>
  );
  return (
    <div class="allcolumns">
      <label class="field">Search {plural(all.length, "column")} <input type="search" value={search} onInput={(e) => setSearch(e.currentTarget.value)} /></label>
      <p class="hidden" role="status">{wanted && `${shown.length} of ${all.length} columns`}</p>
      <table>
        <thead><tr>{head("name", "column")}{head("p", "with it")}{head("q", "without")}{head("strength", "vote")}</tr></thead>
        <tbody>
          {shown.map((c) => (
            <tr key={c.index}>
              <th scope="row" class="wrap">{c.name}</th><td class="number">{text(c.p, c)}</td><td class="number">{text(c.q, c)}</td><td class="votes"><Bar vote={c} expert={expert.index} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p class="fine">{all.length === 0 ? "It has no vote on any column." : `No column is called “${search}”.`}</p>}
    </div>
  );
}
