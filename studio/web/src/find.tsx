import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { words, type Found, type OneFind } from "./api.ts";
import { OpenButton } from "./choosers.tsx";
import { plural } from "./format.ts";
import { scan } from "./opened.ts";
import { api, useCell } from "./store.ts";

/** A rectangle of the page, in its pixels. */
interface Rectangle { x: number; y: number; width: number; height: number }
/** A symbol that was marked, or a counter-example. */
interface Mark extends Rectangle { rival: boolean }
const corners = (m: Rectangle) => [m.x, m.y, m.width, m.height];

/** The same search in the terminal. */
export function command(name: string, marks: Mark[], turns: boolean, mirror: boolean): string {
  const page = /^[\w./-]+$/.test(name) ? name : "page.png", cuts = marks.map((m) => ` --${m.rival ? "rival" : "symbol"} ${corners(m).join(",")}`);
  return `patchwork find ${page}${cuts.join("")}${turns ? " --turns" : ""}${mirror ? " --mirror" : ""} --picture finds.svg`;
}

/** The rectangle between two points, inside the page. */
export function between(a: { x: number; y: number }, b: { x: number; y: number }, width: number, height: number): Rectangle {
  const inside = (v: number, most: number) => Math.min(Math.max(Math.round(v), 0), most);
  const x = inside(Math.min(a.x, b.x), width), y = inside(Math.min(a.y, b.y), height);
  return { x, y, width: inside(Math.max(a.x, b.x), width) - x, height: inside(Math.max(a.y, b.y), height) - y };
}

/** Odds in words: 3 to 1, 1,000,000 to 1. */
export function odds(logOdds: number): string {
  const o = Math.exp(Math.min(logOdds, Math.log(999_999.5)));
  return `${o >= 10 ? Math.round(o).toLocaleString("en") : o.toFixed(1)} to 1`;
}

/** The Find view: mark examples on a page, and see all that look like them. */
export function Find(): JSX.Element {
  const [page, setPage] = useState<Blob | null>(null), [src, setSrc] = useState(""), [name, setName] = useState("");
  const [size, setSize] = useState({ width: 0, height: 0 }), [marks, setMarks] = useState<Mark[]>([]);
  const [turns, setTurns] = useState(true), [mirror, setMirror] = useState(true), [as, setAs] = useState<"one" | "more" | "rival">("one");
  const [answer, setAnswer] = useState<Found | null>(null), [wrong, setWrong] = useState(""), [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null), latest = useRef(0);

  const open = (file: Blob, called: string) => {
    latest.current++;
    setPage(file); setName(called); setMarks([]); setAs("one"); setAnswer(null); setWrong(""); setBusy(false); setChosen(null);
  };
  /** Takes an answer, unless a page was opened or another box drawn meanwhile. */
  const run = async <T,>(asked: Promise<T>, take: (got: T) => void) => {
    const mine = ++latest.current, here = () => mine === latest.current;
    await asked.then((got) => { if (here()) take(got); }).catch((error: unknown) => { if (here()) setWrong(words(error)); });
    if (here()) setBusy(false);
  };
  const example = () => void run(api.examplePage(), (drawing) => open(drawing, "an example drawing"));
  const given = useCell(scan);
  useEffect(() => {
    if (given) open(given, given.name);
    else example();
  }, [given]);
  useEffect(() => {
    const url = page ? URL.createObjectURL(page) : "";
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [page]);

  const search = (all: Mark[], turned = turns, mirrored = mirror) => {
    latest.current++;
    setMarks(all); setTurns(turned); setMirror(mirrored); setBusy(false); setWrong(""); setAnswer(null); setChosen(null);
    if (!page || all.every((m) => m.rival)) return;
    setBusy(true);
    const [symbol, rival] = [false, true].map((r) => all.filter((m) => m.rival === r).flatMap(corners));
    void run(api.find(page, { symbol, rival, turns: turned, mirror: mirrored }), setAnswer);
  };
  const mark = (where: Rectangle) => search([...(as === "one" ? [] : marks), { ...where, rival: as === "rival" }]);

  const all = answer ? [...answer.finds, ...answer.withheld] : [];
  return (
    <div class="view finder">
      <p class="intro">
        <b>Mark one example on a page and see all that look like it.</b> Draw a box around a symbol, close to its ink; every place where it stands, turned or mirrored, is found, with the odds
        that it is really there. Symbols with extra or missing strokes are withheld, with the reason; long straight lines are ignored.
      </p>
      <section class="card" aria-label="Page">
        <div class="row">
          <OpenButton one main={!page} label="Open a page…" test="page" name="Page to open" accept="image/*" onFiles={([f]) => f && open(f.file, f.file.name)} />
          <button type="button" onClick={example}>Example drawing</button>
          <label class="inline"><input type="checkbox" checked={turns} onChange={(e) => search(marks, e.currentTarget.checked)} /> turned by quarters, too</label>
          <label class="inline"><input type="checkbox" checked={mirror} onChange={(e) => search(marks, turns, e.currentTarget.checked)} /> mirrored, too</label>
          <label class="inline">The next box is <select value={as} onChange={(e) => setAs(e.currentTarget.value as typeof as)}>
            <option value="one">the symbol</option><option value="more">one more symbol</option><option value="rival">a counter-example</option>
          </select></label>
          {marks.length > 1 && <button type="button" onClick={() => search(marks.slice(0, -1))}>Take the last away</button>}
          {name && <span class="fine">{name}{size.width > 0 && `, ${size.width} × ${size.height} pixels`}</span>}
        </div>
        {wrong && <p class="error" role="alert">{wrong}</p>}
        <p class="finding" role="status">{busy ? "Searching…" : said(answer, marks.length)}</p>
        {answer?.notes.map((n) => <p key={n} class="fine">{n}</p>)}
        {src && <Sheet src={src} size={size} onSize={setSize} marks={marks} finds={all} chosen={chosen} onMark={mark} onChoose={setChosen}
          onFail={() => setWrong("The browser cannot show this picture; save it as PNG.")} />}
        <Corners at={marks.at(-1) ?? null} size={size} onMark={mark} />
        {marks.length > 0 && <p class="fine">In the terminal: <code>{command(name, marks, turns, mirror)}</code></p>}
      </section>
      {all.length > 0 && <List finds={all} several={marks.length > 1} chosen={chosen} onChoose={setChosen} />}
    </div>
  );
}

/** What was found, in a sentence. */
function said(answer: Found | null, marked: number): string {
  if (marked === 0) return "Draw a box around a symbol.";
  if (!answer) return "";
  const doubtful = answer.finds.filter((f) => !f.certain).length, withheld = answer.withheld.length;
  const more = withheld > 0 ? ` ${plural(withheld, "place")} more withheld: ${[...new Set(answer.withheld.map((f) => f.why))].join(", ")}.` : "";
  if (answer.finds.length === 0) return `Nothing was found: the box holds a piece of something larger, too little ink, or more than one thing.${more}`;
  return `${plural(answer.finds.length, "place")} found${doubtful > 0 ? `, ${doubtful} of them doubtful` : ""}.${more}`;
}

/** What a find is: certain, doubtful, or withheld. */
const kind = (f: OneFind) => (f.certain ? "" : f.log_odds >= 0 ? "doubtful" : "withheld");

/** The page with the examples and the finds on it; a box is drawn by pointer. */
function Sheet({ src, size, onSize, marks, finds, chosen, onMark, onChoose, onFail }: {
  src: string; size: { width: number; height: number }; onSize: (s: { width: number; height: number }) => void; marks: Mark[]; finds: OneFind[]; chosen: number | null;
  onMark: (r: Rectangle) => void; onChoose: (i: number | null) => void; onFail: () => void;
}): JSX.Element {
  const [from, setFrom] = useState<{ x: number; y: number } | null>(null), [to, setTo] = useState<{ x: number; y: number } | null>(null), over = useRef<SVGSVGElement>(null);
  const where = (e: PointerEvent) => {
    const box = over.current!.getBoundingClientRect();
    return { x: ((e.clientX - box.left) / box.width) * size.width, y: ((e.clientY - box.top) / box.height) * size.height };
  };
  const drawn = from && to && between(from, to, size.width, size.height), line = Math.max(1.5, size.width / 600);
  return (
    <div class="sheet">
      <img src={src} alt="The page" onLoad={(e) => onSize({ width: e.currentTarget.naturalWidth, height: e.currentTarget.naturalHeight })} onError={onFail} />
      <svg ref={over} viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true"
        onPointerDown={(e) => { e.preventDefault(); e.currentTarget.setPointerCapture(e.pointerId); setFrom(where(e)); setTo(null); }}
        onPointerMove={(e) => { if (from) setTo(where(e)); }}
        onPointerCancel={() => { setFrom(null); setTo(null); }}
        onPointerUp={(e) => {
          const box = from ? between(from, where(e), size.width, size.height) : null;
          setFrom(null); setTo(null);
          if (box && box.width >= 3 && box.height >= 3) return onMark(box);
          const p = where(e), hit = finds.findIndex((f) => p.x >= f.left && p.x < f.right && p.y >= f.top && p.y < f.bottom);
          onChoose(hit < 0 ? null : hit);
        }}>
        {finds.map((f, i) => (
          <rect key={i} class={`hit ${kind(f)} ${i === chosen ? "chosen" : ""}`} stroke-width={i === chosen ? 2.5 * line : line}
            x={f.left - line} y={f.top - line} width={f.right - f.left + 2 * line} height={f.bottom - f.top + 2 * line} />
        ))}
        {[...marks, ...(drawn ? [{ ...drawn, rival: false }] : [])].map((m, i) => (
          <rect key={`m${i}`} class={m.rival ? "rival" : "example"} stroke-width={line} x={m.x} y={m.y} width={m.width} height={m.height} />
        ))}
      </svg>
    </div>
  );
}

/** The box by numbers, for the keyboard. */
function Corners({ at, size, onMark }: { at: Rectangle | null; size: { width: number; height: number }; onMark: (r: Rectangle) => void }): JSX.Element {
  const [own, setOwn] = useState<Rectangle>({ x: 0, y: 0, width: 50, height: 50 });
  useEffect(() => { if (at) setOwn(at); }, [at]);
  const names = { x: "left", y: "top", width: "width", height: "height" } as const;
  return (
    <form class="row corners" onSubmit={(e) => { e.preventDefault(); onMark(between(own, { x: own.x + own.width, y: own.y + own.height }, size.width, size.height)); }}>
      <span class="fine">The box, in pixels:</span>
      {(Object.keys(names) as (keyof Rectangle)[]).map((k) => (
        <label key={k} class="inline">{names[k]} <input type="number" min="0" step="1" value={own[k]} onInput={(e) => setOwn({ ...own, [k]: e.currentTarget.valueAsNumber || 0 })} /></label>
      ))}
      <button type="submit" disabled={size.width === 0}>Find all</button>
    </form>
  );
}

/** The finds, with what speaks for and against each. */
function List({ finds, several, chosen, onChoose }: { finds: OneFind[]; several: boolean; chosen: number | null; onChoose: (i: number | null) => void }): JSX.Element {
  return (
    <section class="card" aria-label="Finds">
      <h2>{plural(finds.filter((f) => f.log_odds >= 0).length, "find")}</h2>
      <div class="scrolled" tabIndex={0} role="region" aria-label="Table of finds">
        <table>
          <thead><tr>{several && <th scope="col">symbol</th>}<th scope="col">left</th><th scope="col">top</th><th scope="col">turned</th><th scope="col">odds</th><th scope="col">gain</th><th scope="col">missing</th><th scope="col">left over</th></tr></thead>
          <tbody>
            {finds.map((f, i) => (
              <tr key={i} class={i === chosen ? "chosen" : kind(f)}>
                {several && <td>{f.symbol + 1}</td>}
                <td><button type="button" class="plain" aria-pressed={i === chosen} aria-label={`Show find ${i + 1}, at left ${f.left}, top ${f.top}`} onClick={() => onChoose(i === chosen ? null : i)}>{f.left}</button></td>
                <td>{f.top}</td>
                <td>{f.angle === 0 ? "" : `${f.angle}°`}{f.mirrored ? " mirrored" : ""}</td>
                <td>{f.log_odds < 0 ? `withheld: ${f.why}` : `${odds(f.log_odds)}${f.certain ? "" : `, doubtful: ${f.why}`}`}</td>
                <td>{f.gain.toFixed(0)} nats</td>
                <td>{f.missing} of {f.ink}</td>
                <td>{f.extra}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="fine">Missing: pixels of the example’s strokes without ink. Left over: pixels of ink about the place that nothing explains.</p>
    </section>
  );
}
