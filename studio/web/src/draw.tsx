import type { JSX } from "preact";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState } from "preact/hooks";
import { dataID, go, row } from "./address.ts";
import { Bits } from "./bits.ts";
import { moves, votesBothWays, words, type Data, type Model } from "./api.ts";
import { Canvas, Tools, type Tool } from "./canvas.tsx";
import * as drawing from "./drawing.ts";
import { exampleOf, Examples } from "./examples.tsx";
import { finding, percent } from "./format.ts";
import { leftOver } from "./leftover.ts";
import { bitColour, outline, overlay, paint, strong } from "./paint.ts";
import { Panels, Pursuit } from "./pursuit.tsx";
import { called, fully } from "./names.ts";
import { OpenFiles } from "./reading.tsx";
import { api, arrivals, data, fitting, modelID, useCell } from "./store.ts";
import { usePaper } from "./theme.ts";

/** The Draw view: an image, and its explanation while the user draws. */
export function Draw({ model }: { model: Model }): JSX.Element {
  const bits = useCell(drawing.bits), shown = useCell(drawing.shown), step = useCell(drawing.step), origin = useCell(drawing.origin);
  const arrival = useCell(arrivals), problem = useCell(drawing.problem), all = useCell(data), paper = usePaper();
  const [tool, setTool] = useState<Tool>("pen"), [pen, setPen] = useState(penFor(model)), [wrong, setWrong] = useState("");
  const [hover, setHover] = useState<number | null>(null);
  const both = votesBothWays(model), sets = fitting(model, all), id = useCell(dataID), at0 = useCell(row), named = at0 === null ? null : sets.find((d) => d.id === id) ?? null;

  useEffect(() => {
    setPen(penFor(model));
    setHover(null); // a pixel of the model before
    if (drawing.recall(model.images[0], model.images[1]) || named) return;
    void first(model, sets[0]).catch((e: unknown) => setWrong(words(e)));
  }, [model.id, sets.length > 0]);
  // The image that the address names.
  useEffect(() => {
    const place = named && `${named.id} ${at0}`;
    if (!named || at0 === null || !place || drawing.place === place) return;
    let current = true;
    api.images(named.id, at0, 1).then(({ images: [x] }) => {
      if (!current || !x) return;
      drawing.show(Bits.parse(x), exampleOf(named, x), true, place);
      drawing.step.set(null);
      setWrong("");
    }, (e: unknown) => setWrong(words(e)));
    return () => { current = false; };
  }, [named?.id, at0, model.id]);
  useEffect(() => drawing.explain(model.id), [bits, model.id, arrival]);
  useLayoutEffect(drawing.painted);

  const fits = shown && bits && shown.model === model.id && shown.bits.height === bits.height && shown.bits.width === bits.width ? shown : null;
  const at = fits ? Math.min(step ?? Infinity, fits.picks.length) : 0;
  const clear = useCallback(() => drawing.show(new Bits(model.images[0], model.images[1]), ""), [model.id]);

  const stage = (canvas: HTMLCanvasElement) => {
    if (!bits) return;
    const layer = fits && at > 0 ? drawing.layerAt(fits, at) : null;
    paint(canvas, bits.height, bits.width, layer ? overlay(paper, bits, layer) : (i) => bitColour(paper, bits, i));
    if (!fits || !layer) return;
    const regions = fits.picks.slice(0, at).map((p, j) => ({ expert: p.part, inside: (i: number) => strong(fits.steps[j].votes[i], fits.start[i], both) }));
    outline(canvas, bits.height, bits.width, regions, paper);
  };
  // Memoized, so that moving the pen does not render them again.
  const pursuit = useMemo(() => fits && <Pursuit shown={fits} at={at} paper={paper} q={model.q} both={both} moves={moves(model)} name={(k) => called(model, k)} onStep={(s) => drawing.step.set(s)} />, [fits, at, paper, model]);
  const panels = useMemo(() => fits && <Panels shown={fits} at={at} paper={paper} q={model.q} both={both} onHover={setHover} />, [fits, at, paper]);
  const h = bits && drawing.history(bits);
  return (
    <div class="view draw">
      <Intro model={model} />
      <div class="stage">
        {bits ? (
          <Canvas key={`${model.id} ${bits.height} ${bits.width}`} bits={bits} pen={pen} tool={tool} label={`Drawing of ${bits.height} by ${bits.width} pixels`} paint={stage}
            onDraw={(b, before) => { if (before) { drawing.history(b).push(before); drawing.step.set(null); } drawing.show(b, "", false); }}
            onStroke={drawing.strokeEnded} onHover={setHover} onUndo={drawing.undo} onRedo={drawing.redo} onClear={clear} />
        ) : <div class="pixels paper empty" />}
        <p class="under">{bits && (hover !== null && hover < bits.cells.length ? <Spoken pixel={hover} bits={bits} shown={fits} at={at} model={model} /> : origin || "drawn by hand; point at a pixel to see which part explains it")}</p>
        <Tools tool={tool} onTool={setTool} unknown pen={pen} onPen={setPen} canUndo={h?.canUndo ?? false} canRedo={h?.canRedo ?? false}
          onUndo={drawing.undo} onRedo={drawing.redo} onClear={clear} />
      </div>
      <div class="story">
        {fits && <Finding shown={fits} model={model} />}
        {pursuit}
        {panels}
      </div>
      <div class="source">
        <OpenFiles fine="or drop a picture, pictures or a table here" />
        {(wrong || problem) && <p class="error" role="alert">{wrong || problem}</p>}
        <Examples sets={sets} chosen={id} shown={origin} onChoose={(d) => go({ data: d })} onPick={(d, i) => go({ data: d.id, row: i })} />
      </div>
    </div>
  );
}

/** A pen for an image: 4.5 pixels of 56, as the letters of the paper were written. */
export function penFor(m: Pick<Model, "images">): number {
  return Math.max(1, Math.round((2 * 4.5 * Math.min(m.images[0], m.images[1])) / 56) / 2);
}

/** Shows the first image: the best explained of the first twelve examples, or a sample of the model if no data fit. */
async function first(model: Model, set: Data | undefined): Promise<void> {
  if (set) {
    const { images } = await api.images(set.id, 0, 12), found = await api.call("POST /v1/explain", { body: { model: model.id, images: images.map(({ height, width, bits }) => ({ height, width, bits })) } });
    if (modelID.value !== model.id || drawing.bits.value) return; // another model was chosen in the meantime
    const best = found.rows.reduce((a, b) => ((b.log_lik ?? -Infinity) > (a.log_lik ?? -Infinity) ? b : a)).index;
    return drawing.show(Bits.parse(images[best]), exampleOf(set, images[best]));
  }
  const [s] = await api.sample(model.id, 1, 1, null, false);
  if (modelID.value !== model.id || drawing.bits.value) return;
  drawing.show(Bits.parse({ height: model.images[0], width: model.images[1], bits: s.bits }), `a sample of ${model.name}`);
}

function Intro({ model }: { model: Model }): JSX.Element {
  return (
    <p class="intro">
      This is an image and the <b>parts</b> of “{model.name}” that explain it{moves(model) && ", shifted and turned to fit"}. The model has {model.experts} of them: each colour and
      number is one part, and ink without a colour is not explained by any. <b>Draw on it and watch.</b>
    </p>
  );
}

/** The result in a sentence. */
function Finding({ shown, model }: { shown: drawing.Shown; model: Model }): JSX.Element {
  const layer = drawing.layerAt(shown, shown.picks.length), left = leftOver(shown.bits, layer, votesBothWays(model));
  return <p class="finding" role="status">{finding(shown.picks, moves(model), shown.bits.ink(), left, (k) => fully(model, k))}</p>;
}

/** The part that decides one pixel, and the votes of the others. */
function Spoken({ pixel, bits, shown, at, model }: { pixel: number; bits: Bits; shown: drawing.Shown | null; at: number; model: Model }): JSX.Element {
  const where = `row ${Math.floor(pixel / bits.width) + 1}, column ${(pixel % bits.width) + 1}: ${["paper", "ink", "unknown"][bits.cells[pixel]]}`;
  if (!shown || at === 0) return <>{where}</>;
  const layer = drawing.layerAt(shown, at), j = layer.speaker[pixel];
  const others = shown.picks.slice(0, at).map((p, k) => ({ p, k, v: shown.steps[k].votes[pixel] })).filter((o) => o.k !== j && !Number.isNaN(o.v) && o.v !== shown.start[pixel]);
  return (
    <>
      {where}; {j < 0 ? "no part decides" : <><b>{called(model, shown.picks[j].part)}</b> decides</>}, ink is {percent(layer.p[pixel])} likely
      {others.length > 0 && ` (${others.map((o) => `${called(model, o.p.part)} says ${percent(o.v)}`).join(", ")})`}
    </>
  );
}
