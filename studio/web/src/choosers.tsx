import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Data, Sent } from "./api.ts";
import { apart } from "./names.ts";
import { chosen } from "./opened.ts";

/** Chooses one of several data sets; of one the name stands there. */
export function SetPicker({ sets, set, onChoose }: { sets: Data[]; set: Data; onChoose: (id: string) => void }): JSX.Element {
  if (sets.length < 2) return <span>{set.name}</span>;
  return (
    <select aria-label="Data set" value={set.id} onChange={(e) => onChoose(e.currentTarget.value)}>
      {sets.map((d) => <option key={d.id} value={d.id}>{apart(sets, d)}</option>)}
    </select>
  );
}

/** Goes one step back or on. */
export function Steps({ names, first, last, onStep }: { names: [string, string]; first?: boolean; last?: boolean; onStep: (by: 1 | -1) => void }): JSX.Element {
  return (
    <span class="segment">
      <button type="button" aria-label={names[0]} disabled={first} onClick={() => onStep(-1)}>‹</button>
      <button type="button" aria-label={names[1]} disabled={last} onClick={() => onStep(1)}>›</button>
    </span>
  );
}

interface Opens {
  label: string;
  /** The name of the field that takes the files, for tests and for assistive technology. */
  test: string;
  name: string;
  title?: string;
  main?: boolean;
  accept?: string;
  one?: boolean;
  folder?: boolean;
  onFiles: (files: Sent[]) => void;
}

/** A button that opens files. */
export function OpenButton({ label, test, name, title, main, accept, one, folder, onFiles }: Opens): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const took = (e: { currentTarget: HTMLInputElement }) => {
    const files = chosen(e.currentTarget.files);
    e.currentTarget.value = ""; // the same file may be chosen again
    onFiles(files);
  };
  return (
    <>
      <button type="button" class={main ? "main" : ""} title={title} onClick={() => input.current?.click()}>{label}</button>
      <input type="file" ref={input} hidden multiple={!one} accept={accept} data-test={test} aria-label={name} onChange={took}
        {...(folder ? { webkitdirectory: true } : {})} />
    </>
  );
}
