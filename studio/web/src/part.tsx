import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { part } from "./address.ts";
import { download, type Model } from "./api.ts";
import { Steps } from "./choosers.tsx";
import { partColour, type Known, type Parts } from "./experts.tsx";
import { poseWords } from "./format.ts";
import { NameField } from "./namefield.tsx";
import { called, fileOf } from "./names.ts";
import { Having } from "./overview.tsx";
import { Badge, Pixels } from "./pixels.tsx";
import { home, modelFile, namePart, server, unkept, unsaved, useCell } from "./store.ts";
import { AllColumns } from "./strengths.tsx";
import { usePaper } from "./theme.ts";
import { useAttempt } from "./uselatest.ts";

/** The name of a part, to be changed in place. */
export function PartName({ model, k }: { model: Model; k: number }): JSX.Element {
  const s = useCell(server), named = useCell(unsaved).has(`${model.id} ${k}`) && model.parts?.[k]?.name;
  const failed = useCell(unkept), mine = model.source === "learned" || model.source === "upload", { wrong, attempt } = useAttempt();
  const fresh = named && !(mine && (home.here ? !failed : s?.keeps));
  const save = () => void attempt(async () => download(await modelFile(model.id), fileOf(model.name)));
  return (
    <span class="naming">
      <NameField name={model.parts?.[k]?.name ?? ""} empty={`part ${k + 1}`} label={`rename part ${k + 1}`} locked={s?.upload === false} onSave={(name) => namePart(model, k, name)} />
      {fresh && <span class="fine kept">This name is {home.on} only: <button type="button" class="link" onClick={save}>download the model</button> to keep it.</span>}
      {wrong && <span class="error" role="alert">{wrong}</span>}
    </span>
  );
}

/** The part that is open, in full: all it says, what it explains, its name, and its files. */
export function OpenPart({ parts }: { parts: Parts }): JSX.Element | null {
  const { model, experts } = parts, k = useCell(part), box = useRef<HTMLDialogElement>(null), expert = k === null ? null : experts[k] ?? null;
  useEffect(() => {
    const d = box.current;
    if (expert && d && !d.open) d.showModal();
  }, [expert === null]);
  if (!expert) return null;
  const step = (by: number) => part.set((expert.index + by + experts.length) % experts.length); // no step of its own for the back button
  return (
    <dialog class="part" ref={box} aria-label={`Part ${expert.index + 1}${model.parts?.[expert.index]?.name ? `, ${model.parts?.[expert.index]?.name}` : ""}`} onClose={() => part.set(null)}
      onClick={(e) => { if (e.target === box.current) box.current?.close(); }}>
      <div class="inside">
        <div class="row head">
          <Badge expert={expert.index} /><PartName key={`${model.id} ${expert.index}`} model={model} k={expert.index} />
          <Steps names={["Part before", "Next part"]} onStep={step} />
          <button type="button" class="close" autofocus onClick={() => box.current?.close()}>Close</button>
        </div>
        <Facts model={model} expert={expert} />
        {model.table ? <AllColumns key={expert.index} expert={expert} /> : <Big parts={parts} expert={expert} />}
        <Having parts={parts} part={expert.index} onAll={() => box.current?.close()} />
      </div>
    </dialog>
  );
}

function Facts({ model, expert }: { model: Model; expert: Known }): JSX.Element {
  const facts = [
    !model.table && expert.pose && `usually ${poseWords(expert.pose, 1)}`,
    model.table && `votes on ${expert.columns?.length ?? 0} of ${model.width} columns`,
  ].filter(Boolean).join(", ");
  return <><p>{expert.words}</p><p class="fine">{facts && `${facts[0].toUpperCase()}${facts.slice(1)}. `}A name is kept {home.on}; <b>download the model</b> to keep it in the file.</p></>;
}

function Big({ parts, expert }: { parts: Parts; expert: Known }): JSX.Element {
  const { model } = parts, colour = partColour(parts, usePaper())(expert.template);
  return <div class="bigpart"><Pixels height={model.frame[0]} width={model.frame[1]} label={`Template of ${called(model, expert.index)}`} colour={colour} across={448} /></div>;
}
