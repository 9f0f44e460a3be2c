import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "./api.ts";
import { Latest } from "./latest.ts";
import { arrivals, useCell } from "./store.ts";

/**
 * The answer to the newest question: asked again when the input changes or the server comes back, one request at a time. While
 * an answer is on its way the one before stays; null until there is one. run is that of the first render: give the component a key
 * where it would change.
 */
export function useLatest<I, O>(run: (input: I) => Promise<O>, input: I): { answer: O | null; wrong: string } {
  const [state, setState] = useState<{ answer: O | null; wrong: string }>({ answer: null, wrong: "" }), arrival = useCell(arrivals);
  const latest = useRef<Latest<I, O> | null>(null);
  latest.current ??= new Latest<I, O>(run, (answer) => setState({ answer, wrong: "" }), (e) => setState((s) => ({ ...s, wrong: words(e) })));
  useEffect(() => latest.current?.ask(input), [JSON.stringify(input), arrival]);
  return state;
}

/** Tries what may fail; wrong is what went wrong the last time. */
export function useAttempt(): { wrong: string; attempt: (what: () => Promise<unknown>) => Promise<void> } {
  const [wrong, setWrong] = useState("");
  const attempt = (what: () => Promise<unknown>) => what().then(() => setWrong(""), (e: unknown) => setWrong(words(e)));
  return { wrong, attempt };
}
