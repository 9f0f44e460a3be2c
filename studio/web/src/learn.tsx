import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { dataID, go } from "./address.ts";
import type { Data, Wish } from "./api.ts";
import { plural } from "./format.ts";
import { apart } from "./names.ts";
import { atHand, drawings } from "./place.ts";
import { opened } from "./opened.ts";
import { OpenFiles } from "./reading.tsx";
import { Run } from "./run.tsx";
import { DrawTen, size, wanted } from "./ten.tsx";
import * as learning from "./learning.ts";
import { data, fitting, home, ofNumbers, server, useCell, useModel } from "./store.ts";

interface Settings {
  experts: number;
  auto: boolean;
  rule: Wish["rule"];
  shift: number;
  shiftStep: number;
  turn: number;
  turnStep: number;
  starts: number;
  seed: number;
  method: Wish["method"];
  aim: Wish["aim"];
}

/** Default settings for the examples. */
function usual(d: Data | null): Settings {
  const none = { auto: false, turn: 0, turnStep: 6, shift: 0, shiftStep: 1, starts: 0, seed: 0, method: "default", aim: "interpret" } as const;
  if (d && ofNumbers(d)) return { ...none, experts: 8, auto: true, rule: undefined };
  if (d?.table) return { ...none, experts: 8, auto: true, rule: "max-minus-min", method: "soft" };
  const h = d?.height ?? size, w = d?.width ?? size;
  if (h < 12) return { ...none, experts: 8, auto: true, rule: "max-minus-min" };
  const wide = { ...none, experts: 2, rule: "max", shift: Math.round(h / 4), turn: 24, starts: 8 } as const;
  return { ...wide, shiftStep: coarse(wide, h * w) };
}

/** The effort, in poses x pixels of the parts, that takes less than a minute. */
const quick = 1.2e8;

/** The step of shifting at which images of so many pixels are learned in a minute. */
function coarse({ shift, turn, turnStep, experts }: Omit<Settings, "shiftStep">, pixels: number): number {
  const turns = 1 + 2 * Math.floor(turn / turnStep), effort = (step: number) => experts * turns * pixels * (1 + 2 * Math.floor(shift / step)) ** 2;
  let step = 1;
  while (step < shift && effort(step) > quick) step++;
  return step;
}

/** Whether the number of experts can be found automatically: in tables, of numbers, where they move, and where they vote both ways. */
function canCount(s: Settings): boolean {
  return s.rule === undefined || s.method === "soft" || s.rule === "max-minus-min" || s.shift > 0 || s.turn > 0;
}

/** The settings in the form of the server: those of a table that nobody changed are the server's own for tables. */
function recipe(s: Settings, d: Data | null): Wish {
  if (d?.table && !ofNumbers(d) && JSON.stringify({ ...s, seed: 0 }) === JSON.stringify(usual(d))) return { for: "table", seed: s.seed };
  const number = s.auto && canCount(s) ? { auto: true } : { experts: s.experts };
  if (s.rule === undefined) return { ...number, seed: s.seed, ...(s.aim === "predict" ? { aim: s.aim } : {}), ...(s.shift ? { shift: s.shift } : {}), ...(s.starts ? { starts: s.starts } : {}) };
  if (s.method === "soft") return { ...number, method: "soft", aim: s.aim, seed: s.seed };
  return {
    ...number, rule: s.rule, shift: s.shift, seed: s.seed, ...(s.shift && s.shiftStep > 1 ? { shift_step: s.shiftStep } : {}), ...(s.turn ? { rotate: `${s.turn}:${s.turnStep || 6}` } : {}), ...(s.starts && !number.auto ? { starts: s.starts } : {}),
  };
}

/** The Learn view: learns parts from examples, and shows the progress. */
export function Learn(): JSX.Element {
  const sets = useCell(data), drawn = useCell(learning.drawn), job = useCell(learning.job), s = useCell(server), o = useCell(opened);
  const id = useCell(dataID), model = useModel(), drawing = id === drawings || (drawn.length > 0 && !model?.table);
  const set = sets.find((d) => d.id === id) ?? (drawing ? null : atHand(model, sets, fitting(model, sets)));
  const [take, setTake] = useState(0);
  const [settings, setSettings] = useState(usual(set));
  useEffect(() => {
    setSettings(usual(set));
    setTake(set && !set.table && !ofNumbers(set) ? Math.min(set.n, 20) : 0);
  }, [set?.id]);
  const busy = job !== null && !learning.ended(job.state), ready = set !== null || drawn.length > 0;
  const begin = () => void learning.start({
    ...(set ? { data: set.id, ...(take ? { take } : {}), name: set.name } : { name: "my drawings" }),
    ...recipe(settings, set),
  });
  if (s && !s.learn) return <div class="view"><p class="intro">Learning is switched off on this server. Use <code>patchwork learn</code> on the command line.</p></div>;
  return (
    <div class="view learn">
      <p class="intro">
        {set && ofNumbers(set)
          ? <>Learning finds which {set.table ? "columns" : "pixels"} are high or low together. <b>Leave the number of parts empty, and Patchwork chooses it.</b></>
          : set?.table
          ? <>Learning finds which columns go together; a few such parts explain a row. <b>Leave the number of parts empty, and Patchwork chooses it.</b></>
          : <>Learning finds a few templates that, shifted and turned, explain all examples. <b>Ten drawings of one letter are enough.</b></>}
      </p>
      <div class="setup">
        <section class="card" aria-label="Examples to learn from">
          <h2>Examples</h2>
          <label class="field">Learn from
            <select value={set?.id ?? drawings} onChange={(e) => go({ data: e.currentTarget.value })}>
              <option value={drawings}>ten examples that I draw</option>
              {sets.map((d) => <option key={d.id} value={d.id}>{apart(sets, d)} ({plural(d.n, d.table ? "row" : "image")})</option>)}
            </select>
          </label>
          <OpenFiles fine={`a table of yes and no or of numbers (${home.here ? ".csv, .npz" : ".csv, .parquet, .npz"} …), or pictures of one size`} />
          {o?.wrong && !o.data && <p class="fine">“{o.name}” was not read; {set ? <>what is learned from is still “{set.name}”</> : "choose what to learn from, or draw it"}.</p>}
          {set ? (
            <label class="field">Take the first
              <input type="number" min="0" max={set.n} value={take || ""} placeholder="all" onInput={(e) => setTake(Math.max(0, e.currentTarget.valueAsNumber || 0))} />
            </label>
          ) : <DrawTen />}
        </section>
        <section class="card" aria-label="Settings">
          <h2>Settings</h2>
          <Form settings={settings} onChange={setSettings} table={set?.table ?? false} />
          <button type="button" class="main" disabled={busy || !ready} onClick={begin}>{busy ? "Learning…" : "Learn"}</button>
          {!ready && <p class="fine">Draw at least one example first; {wanted} are enough.</p>}
        </section>
      </div>
      <Run />
    </div>
  );
}

function Form({ settings, onChange, table }: { settings: Settings; onChange: (s: Settings) => void; table: boolean }): JSX.Element {
  const put = (part: Partial<Settings>) => onChange({ ...settings, ...part }), numbers = settings.rule === undefined;
  const field = (name: string, key: "experts" | "shift" | "shiftStep" | "turn" | "turnStep" | "starts" | "seed", min: number, max: number, hint = "", off = false) => (
    <label class="field">{name}
      <input type="number" min={min} max={max} disabled={off} value={off ? "" : key === "starts" ? settings.starts || "" : settings[key]} placeholder={hint}
        onInput={(e) => put({ [key]: Math.min(max, Math.max(0, e.currentTarget.valueAsNumber || 0)) })} />
    </label>
  );
  return (
    <>
      {field("Parts", "experts", 1, 64, settings.auto && canCount(settings) ? "found out" : "", settings.auto && canCount(settings))}
      {canCount(settings) && (
        <label class="inline"><input type="checkbox" checked={settings.auto} onChange={(e) => put({ auto: e.currentTarget.checked })} /> find the number of parts</label>
      )}
      {!numbers && settings.method !== "soft" && <label class="field">Rule
        <select value={settings.rule} onChange={(e) => put({ rule: e.currentTarget.value as Wish["rule"] })}>
          <option value="max">max: ink on paper</option>
          <option value="max-minus-min">max minus min: votes for and against</option>
        </select>
      </label>}
      {!table && field("Shift by up to, pixels", "shift", 0, 64)}
      {!table && !numbers && field("Turn by up to, degrees", "turn", 0, 180)}
      <details>
        <summary>More settings</summary>
        {!table && settings.shift > 0 && field("Step of shifting, pixels", "shiftStep", 1, 64)}
        {!table && settings.turn > 0 && field("Step of turning, degrees", "turnStep", 1, 90)}
        {settings.method !== "soft" && field("Starts", "starts", 0, 64, "default")}
        {field("Seed", "seed", 0, 1_000_000)}
        {table && !numbers && (
          <label class="field">Method
            <select value={settings.method} onChange={(e) => put({ method: e.currentTarget.value as Wish["method"] })}>
              <option value="soft">soft EM, with a background</option>
              <option value="default">hard EM</option>
            </select>
          </label>
        )}
        {(numbers || settings.method === "soft") && (
          <label class="field">Goal
            <select value={settings.aim} onChange={(e) => put({ aim: e.currentTarget.value as Wish["aim"] })}>
              <option value="interpret">easy to read: few votes</option>
              <option value="predict">good predictions of what is unknown</option>
            </select>
          </label>
        )}
      </details>
    </>
  );
}
