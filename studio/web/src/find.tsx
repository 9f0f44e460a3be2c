import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { words, type Found, type OneFind } from "./api.ts";
import { plural } from "./format.ts";
import { api } from "./store.ts";

/** A rectangle of the page, in its pixels. */
interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
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

/** The Find view: mark one example on a page, and see all that look like it. */
export function Find(): JSX.Element {
  const [page, setPage] = useState<Blob | null>(null), [src, setSrc] = useState(""), [name, setName] = useState("");
  const [size, setSize] = useState({ width: 0, height: 0 }), [at, setAt] = useState<Rectangle | null>(null);
  const [turns, setTurns] = useState(true), [mirror, setMirror] = useState(true);
  const [answer, setAnswer] = useState<Found | null>(null), [wrong, setWrong] = useState(""), [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<number | null>(null), latest = useRef(0), files = useRef<HTMLInputElement>(null);

  const open = (file: Blob, called: string) => {
    latest.current++;
    setPage(file); setName(called); setAt(null); setAnswer(null); setWrong(""); setBusy(false); setChosen(null);
  };
  const example = async () => {
    const mine = ++latest.current;
    try {
      const drawing = await api.examplePage();
      if (mine === latest.current) open(drawing, "an example drawing"); // else a page was opened meanwhile
    } catch (error) {
      if (mine === latest.current) setWrong(words(error));
    }
  };
  useEffect(() => { void example(); }, []);
  useEffect(() => {
    if (!page) return;
    const url = URL.createObjectURL(page);
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [page]);

  const search = async (where: Rectangle, turned: boolean, mirrored: boolean) => {
    if (!page || where.width < 2 || where.height < 2) return;
    const mine = ++latest.current;
    setBusy(true); setWrong(""); setAnswer(null); setChosen(null);
    try {
      const found = await api.find(page, { ...where, turns: turned, mirror: mirrored });
      if (mine === latest.current) setAnswer(found);
    } catch (error) {
      if (mine === latest.current) setWrong(words(error));
    }
    if (mine === latest.current) setBusy(false);
  };
  const mark = (where: Rectangle) => { setAt(where); void search(where, turns, mirror); };

  return (
    <div class="view finder">
      <p class="intro">
        <b>Mark one example on a page and see all that look like it.</b> Draw a box around a symbol, close to its ink; every place where it stands, turned or mirrored, is found, with the odds
        that it is really there. What has strokes more or less is not the symbol; long straight lines belong to the page.
      </p>
      <section class="card" aria-label="Page">
        <div class="row">
          <button type="button" class={page ? "" : "main"} onClick={() => files.current?.click()}>Open a page…</button>
          <input type="file" ref={files} hidden data-test="page" accept="image/*" aria-label="Page to open"
            onChange={(e) => { const f = e.currentTarget.files?.[0]; if (f) open(f, f.name); e.currentTarget.value = ""; }} />
          <button type="button" onClick={() => void example()}>Example drawing</button>
          <label class="inline"><input type="checkbox" checked={turns} onChange={(e) => { setTurns(e.currentTarget.checked); if (at) void search(at, e.currentTarget.checked, mirror); }} /> turned by quarters, too</label>
          <label class="inline"><input type="checkbox" checked={mirror} onChange={(e) => { setMirror(e.currentTarget.checked); if (at) void search(at, turns, e.currentTarget.checked); }} /> mirrored, too</label>
          {name && <span class="fine">{name}{size.width > 0 && `, ${size.width} × ${size.height} pixels`}</span>}
        </div>
        {wrong && <p class="error" role="alert">{wrong}</p>}
        <p class="finding" role="status">{busy ? "Searching…" : said(answer, at)}</p>
        {src && <Sheet src={src} size={size} onSize={setSize} at={at} finds={answer?.finds ?? []} chosen={chosen} onMark={mark} onChoose={setChosen}
          onFail={() => setWrong("The browser cannot show this picture; save it as PNG.")} />}
        <Corners at={at} size={size} onMark={mark} />
      </section>
      {answer && answer.finds.length > 0 && <List finds={answer.finds} chosen={chosen} onChoose={setChosen} />}
    </div>
  );
}

/** What was found, in a sentence. */
function said(answer: Found | null, at: Rectangle | null): string {
  if (!at) return "Draw a box around a symbol.";
  if (!answer) return "";
  const doubtful = answer.finds.filter((f) => !f.certain).length;
  if (answer.finds.length === 0) return "Nothing was found: the box holds a piece of something larger, too little ink, or more than one thing.";
  return `${plural(answer.finds.length, "place")} found${doubtful > 0 ? `, ${doubtful} of them doubtful` : ""}.`;
}

/** The page with the example and the finds on it; a box is drawn by pointer. */
function Sheet({ src, size, onSize, at, finds, chosen, onMark, onChoose, onFail }: {
  src: string; size: { width: number; height: number }; onSize: (s: { width: number; height: number }) => void; at: Rectangle | null; finds: OneFind[]; chosen: number | null;
  onMark: (r: Rectangle) => void; onChoose: (i: number | null) => void; onFail: () => void;
}): JSX.Element {
  const [from, setFrom] = useState<{ x: number; y: number } | null>(null), [to, setTo] = useState<{ x: number; y: number } | null>(null), over = useRef<SVGSVGElement>(null);
  const where = (e: PointerEvent) => {
    const box = over.current!.getBoundingClientRect();
    return { x: ((e.clientX - box.left) / box.width) * size.width, y: ((e.clientY - box.top) / box.height) * size.height };
  };
  const drawn = from && to ? between(from, to, size.width, size.height) : at, line = Math.max(1.5, size.width / 600);
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
          <rect key={i} class={`hit${f.certain ? "" : " doubtful"}${i === chosen ? " chosen" : ""}`} stroke-width={i === chosen ? 2.5 * line : line}
            x={f.left - line} y={f.top - line} width={f.right - f.left + 2 * line} height={f.bottom - f.top + 2 * line} />
        ))}
        {drawn && <rect class="example" stroke-width={line} x={drawn.x} y={drawn.y} width={drawn.width} height={drawn.height} />}
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
function List({ finds, chosen, onChoose }: { finds: OneFind[]; chosen: number | null; onChoose: (i: number | null) => void }): JSX.Element {
  return (
    <section class="card" aria-label="Finds">
      <h2>{plural(finds.length, "find")}</h2>
      <div class="scrolled" tabIndex={0} role="region" aria-label="Table of finds">
        <table>
          <thead><tr><th scope="col">left</th><th scope="col">top</th><th scope="col">turned</th><th scope="col">odds</th><th scope="col">gain</th><th scope="col">missing</th><th scope="col">left over</th></tr></thead>
          <tbody>
            {finds.map((f, i) => (
              <tr key={i} class={i === chosen ? "chosen" : f.certain ? "" : "doubtful"}>
                <td><button type="button" class="plain" aria-pressed={i === chosen} aria-label={`Show find ${i + 1}, at left ${f.left}, top ${f.top}`} onClick={() => onChoose(i === chosen ? null : i)}>{f.left}</button></td>
                <td>{f.top}</td>
                <td>{f.angle === 0 ? "" : `${f.angle}°`}{f.mirrored ? " mirrored" : ""}</td>
                <td>{odds(f.log_odds)}{f.certain ? "" : ", doubtful"}</td>
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
