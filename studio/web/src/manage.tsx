import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { download, type Data, type Model } from "./api.ts";
import { plural } from "./format.ts";
import { NameField } from "./namefield.tsx";
import { fileOf } from "./names.ts";
import { api, data, home, modelFile, models, ofNumbers, refresh, server, unkept, useCell } from "./store.ts";
import { useAttempt } from "./uselatest.ts";

const sources: Record<Model["source"], string> = { file: "loaded at the server's start", upload: "opened", learned: "learned here", "built-in": "built in" };

/** The models and data sets of the server: names, files, and what can be removed. */
export function Manage({ onClose }: { onClose: () => void }): JSX.Element {
  const all = useCell(models), sets = useCell(data), box = useRef<HTMLDialogElement>(null), [said, setSaid] = useState("");
  useEffect(() => box.current?.showModal(), []);
  return (
    <dialog class="manage" ref={box} aria-label="Models and data" onClose={onClose} onClick={(e) => { if (e.target === box.current) box.current?.close(); }}>
      <div class="inside">
        <div class="row head"><h2>Models</h2><button type="button" class="close" onClick={() => box.current?.close()}>Close</button></div>
        <p class="hidden" role="status">{said}</p>
        <ul class="things">{all.map((m) => <OneModel key={m.id} model={m} onSaid={setSaid} />)}</ul>
        <h2>Data</h2>
        <ul class="things">{sets.map((d) => <OneSet key={d.id} set={d} onSaid={setSaid} />)}</ul>
        <Where />
      </div>
    </dialog>
  );
}

/** Where all this is, and for how long. */
function Where(): JSX.Element {
  const kept = useCell(server)?.keeps, failed = useCell(unkept);
  const text = kept ? "Models are kept in a folder of the server; data are in its memory."
    : !home.here ? "All of this is in the server's memory and goes with it: to keep models, start it with --keep DIR."
    : !failed ? "Models are kept in this browser; data go with this tab. Nothing is sent anywhere."
    : `All of this goes with this tab, because the browser keeps nothing for it (${failed}). Nothing is sent anywhere.`;
  return <p class="fine">{text} {!kept && "Download what you need elsewhere."}</p>;
}

function OneModel({ model: m, onSaid }: { model: Model; onSaid: (text: string) => void }): JSX.Element {
  const s = useCell(server), fixed = m.source === "file" || m.source === "built-in";
  const rename = async (name: string) => {
    await api.call("PATCH /v1/models/{id}", { path: { id: m.id }, body: { name } });
    await refresh();
  };
  return (
    <li>
      <span class="what"><NameField name={m.name} empty={m.id} label={`rename the model ${m.name}`} locked={s?.upload === false} onSave={rename} />
        <span class="fine">{plural(m.experts, "part")}, {m.table ? plural(m.width, "column") : `${m.height} × ${m.width} pixels`}{ofNumbers(m) && ", numbers"}, {sources[m.source]}</span></span>
      <Thing name={m.name} fixed={fixed} file={() => modelFile(m.id)} as={fileOf(m.name)} remove={() => api.removeModel(m.id)} onSaid={onSaid} />
    </li>
  );
}

function OneSet({ set: d, onSaid }: { set: Data; onSaid: (text: string) => void }): JSX.Element {
  return (
    <li>
      <span class="what"><b>{d.name}</b> <span class="fine">{d.table ? `${plural(d.n, "row")}, ${plural(d.width, "column")}` : `${plural(d.n, "image")}, ${d.height} × ${d.width} pixels`}{ofNumbers(d) && ", numbers"}</span></span>
      <Thing name={d.name} fixed={d.fixed} file={() => api.file("GET /v1/data/{id}/file", { path: { id: d.id } })} as={`${d.name.replace(/\.\w+$/, "")}.npz`} remove={() => api.removeData(d.id)} onSaid={onSaid} />
    </li>
  );
}

/** Downloads a thing, or removes it after a second question. */
function Thing(props: { name: string; fixed: boolean; file: () => Promise<Blob>; as: string; remove: () => Promise<unknown>; onSaid: (text: string) => void }): JSX.Element {
  const { name, fixed, file, as, remove, onSaid } = props, { wrong, attempt } = useAttempt(), [sure, setSure] = useState(false), no = useRef<HTMLButtonElement>(null);
  useEffect(() => { if (sure) no.current?.focus(); }, [sure]);
  const gone = async () => {
    await remove();
    onSaid(`${name} is removed`);
    await refresh();
  };
  return (
    <span class="row">
      {!sure && <button type="button" onClick={() => void attempt(async () => download(await file(), as))}>Download<span class="hidden"> {name}</span></button>}
      {!sure && !fixed && <button type="button" onClick={() => setSure(true)}>Remove<span class="hidden"> {name}</span></button>}
      {sure && <span>Remove it for good?</span>}
      {sure && <button type="button" class="danger" onClick={() => void attempt(gone)}>Remove<span class="hidden"> {name} for good</span></button>}
      {sure && <button type="button" ref={no} onClick={() => setSure(false)}>Keep<span class="hidden"> {name}</span></button>}
      {wrong && <span class="error" role="alert">{wrong}</span>}
    </span>
  );
}
