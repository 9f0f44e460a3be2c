import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { words } from "./api.ts";

/** The maximum length of a name, as the server has it. */
const longest = 200;

/** A name that is changed where it stands: a button with the name, which becomes a field. Enter keeps it, Escape does not. */
export function NameField(props: { name: string; empty: string; label: string; locked?: boolean; onSave: (name: string) => Promise<void> }): JSX.Element {
  const { name, empty, label, locked, onSave } = props;
  const [draft, setDraft] = useState<string | null>(null), [wrong, setWrong] = useState("");
  const field = useRef<HTMLInputElement>(null), button = useRef<HTMLButtonElement>(null), back = useRef(false);
  useEffect(() => {
    if (draft !== null) field.current?.select();
    else if (back.current) button.current?.focus();
    back.current = false;
  }, [draft === null]);
  const close = () => { setDraft(null); setWrong(""); };
  const save = async () => {
    if (draft === null) return;
    if (draft.trim() === name) return close();
    try {
      await onSave(draft.trim());
      close();
    } catch (error) {
      setWrong(words(error));
    }
  };
  const key = (e: KeyboardEvent) => {
    if (e.key !== "Enter" && e.key !== "Escape") return;
    e.preventDefault();
    e.stopPropagation(); // Escape closes the field, not what is around it
    back.current = true;
    if (e.key === "Enter") void save();
    else close();
  };
  if (locked) return <b class="partname">{name || empty}</b>;
  if (draft === null) {
    return (
      <button type="button" class="partname" ref={button} title={label} onClick={() => setDraft(name)}>
        <b>{name || empty}</b><span class="pencil" aria-hidden="true">{"\u00a0"}✎</span><span class="hidden">, {label}</span>
      </button>
    );
  }
  return (
    <span class="naming">
      <input ref={field} type="text" value={draft} maxLength={longest} placeholder={empty} aria-label={label} onInput={(e) => setDraft(e.currentTarget.value)} onKeyDown={key} onBlur={() => void save()} />
      {wrong && <span class="error" role="alert">{wrong}</span>}
    </span>
  );
}
