import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { words, type Model } from "./api.ts";
import { Classes } from "./classes.tsx";
import { Draw } from "./draw.tsx";
import { Experts } from "./experts.tsx";
import { Find } from "./find.tsx";
import { apart } from "./names.ts";
import { plural } from "./format.ts";
import { Learn } from "./learn.tsx";
import { Rules } from "./rules.tsx";
import { Sample } from "./sample.tsx";
import { api, connect, data, home, link, missing, modelID, models, realData, realID, realModels, server, useCell, useModel, wantKind } from "./store.ts";
import { Tables } from "./tables.tsx";
import { theme, toggleTheme } from "./theme.ts";
import { follow, go, open, view } from "./address.ts";
import { Manage } from "./manage.tsx";
import { dropped, take } from "./opened.ts";
import { views, type View } from "./place.ts";
import { OpenFiles, Reading } from "./reading.tsx";
import { Values } from "./values.tsx";

const titles: Record<View, string> = { draw: "Draw", experts: "Parts", sample: "Sample", learn: "Learn", classes: "Classes", rules: "Rules", tables: "Tables", find: "Find", values: "Values" };

/** The whole page. */
export function App(): JSX.Element {
  const now = useCell(view), state = useCell(link), model = useModel(), all = useCell(models), s = useCell(server), lost = useCell(missing);
  useEffect(() => { follow(); void connect(); }, []);
  useEffect(() => first(model), [model?.id, state, s?.ready]);
  useEffect(() => {
    if (now === "draw") wantKind(false);
    if (now === "tables") wantKind(true);
  }, [now, all]);
  useEffect(() => { document.title = `${titles[now]} · Patchwork studio`; }, [now]);
  return (
    <div class="page" onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void dropped(e.dataTransfer).then(take); }}>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the content</a>
      <header>
        <span class="logo"><img src="./icon.svg" alt="" width="28" height="28" />Patchwork</span>
        <nav aria-label="Views">
          {order(model).map((v) => <a key={v} href={`#/${v}`} aria-current={v === now ? "page" : undefined}>{titles[v]}</a>)}
        </nav>
        <Choose />
        <ThemeButton />
      </header>
      <div role="alert" class={state === "down" ? "banner" : "hidden"}>
        {state === "down" && `${home.it} does not answer; your drawing is kept. Trying again every second.`}
      </div>
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{titles[now]}</h1>
        {lost && state === "up" && <p class="error" role="alert">{lost} <button type="button" aria-label="Close this message" onClick={() => missing.set("")}>×</button></p>}
        {state !== "token" && <Reading />}
        {state === "token" ? <Token /> : <Body at={now} model={model} />}
      </main>
      <footer>
        Patchwork {s?.version} · {home.here ? "without a server: nothing leaves this tab" : <a href="./openapi.json">API</a>} · the method of <cite>Compact Compositional Models</cite>, Goessling and Amit, 2015 · <a href="./licenses.txt">licences</a>
      </footer>
    </div>
  );
}

function Body({ at, model }: { at: View; model: Model | null }): JSX.Element {
  const state = useCell(link), s = useCell(server);
  if (at === "learn") return <Learn />;
  if (at === "rules") return <Rules />;
  if (at === "find") return <Find />;
  if (at === "classes") return <Classes />;
  if (at === "values") return <Values />;
  if (!model) return <p class="intro">{state === "connecting" ? "Loading…" : state === "down" ? "" : !s?.ready ? `${home.it} is learning its first model; this takes a few seconds.` : "No model is loaded. Learn one in the Learn view, or open a file above."}</p>;
  if (at === "tables") return model.table ? <Tables model={model} /> : !s?.ready ? <p class="intro">{home.it} is learning its first models; this takes a few seconds.</p> : <p class="intro">No model of a table is loaded. <a href="#/learn">Learn one from a table</a>, or open a model file above.</p>;
  if (at === "draw") return model.table ? <p class="intro">All loaded models are for tables: see the <a href="#/tables">Tables view</a>.</p> : <Draw model={model} />;
  return at === "experts" ? <Experts key={model.id} model={model} /> : <Sample key={model.id} model={model} />;
}

/** The views in the order in which they are of use: tables first for a table. */
function order(model: Model | null): readonly View[] {
  if (!model?.table) return views;
  return ["tables", "experts", "sample", "learn", "classes", "rules", "draw", "values", "find"];
}

/** Where the page begins if the address does not say: with the tables for a table, with learning for data without a model of theirs. */
function first(model: Model | null): void {
  if (!open || !model) return;
  if (realModels.value.some((m) => m.source === "file") || realData.value.some((d) => d.fixed)) return go({ view: "values" });
  const own = data.value.find((d) => d.fixed && /^d\d+$/.test(d.id));
  if (model.table) go({ view: "tables" });
  else if (own && model.source !== "file") go({ view: "learn", data: own.id });
}

/** Selects the model, opens files, and leads to what there is. */
function Choose(): JSX.Element {
  const bits = useCell(models), real = useCell(realModels), all = [...bits, ...real], here = useCell(view) === "values", bitsID = useCell(modelID), valuesID = useCell(realID), id = here ? valuesID : bitsID, [managing, setManaging] = useState(false);
  const choose = (to: string) => {
    if (real.some((m) => m.id === to)) return go({ view: "values", model: to });
    if (here) return go({ view: bits.find((m) => m.id === to)?.table ? "tables" : "draw", model: to });
    const table = all.find((m) => m.id === to)?.table, at = view.value;
    go({ model: to, ...(table && at === "draw" ? { view: "tables" } : !table && at === "tables" ? { view: "draw" } : {}) });
  };
  const named = (m: Model) => `${apart(all, m)} (${plural(m.experts, "part")}, ${m.table ? plural(m.width, "column") : `${m.height} × ${m.width}`})`, now = all.find((m) => m.id === id);
  return (
    <div class="choose">
      <label class="inline"><span class="wide-only">Model</span>
        <select aria-label="Model" title={now && named(now)} value={id} disabled={all.length === 0} onChange={(e) => choose(e.currentTarget.value)}>
          {here && !real.some((m) => m.id === id) && <option value={id} disabled>no model of real values</option>}
          {all.map((m) => <option key={m.id} value={m.id}>{named(m)}</option>)}
        </select>
      </label>
      <OpenFiles short />
      <button type="button" title="Rename, download or remove models and data" aria-haspopup="dialog" onClick={() => setManaging(true)}>Manage…</button>
      {managing && <Manage onClose={() => setManaging(false)} />}
    </div>
  );
}

function ThemeButton(): JSX.Element {
  const now = useCell(theme), other = now === "dark" ? "light" : "dark";
  return <button type="button" class="theme" aria-label={`Switch to ${other} colours`} title={`Switch to ${other} colours`} onClick={toggleTheme}>{now === "dark" ? "☀" : "☾"}</button>;
}

/** Asks for the token of the server. */
function Token(): JSX.Element {
  const [token, setToken] = useState(""), [wrong, setWrong] = useState("");
  const send = async () => {
    api.setToken(token.trim());
    try {
      await api.server();
      link.set("connecting");
      void connect();
    } catch (error) {
      setWrong(words(error));
    }
  };
  return (
    <form class="card token" onSubmit={(e) => { e.preventDefault(); void send(); }}>
      <h2>This server requires a token</h2>
      <p>
        Open the address that <code>patchwork serve</code> printed: the token is part of it. If <code>PATCHWORK_TOKEN</code> or <code>--token</code> was
        set when the server was started, enter that one. This page keeps it only in this tab.
      </p>
      <label class="field">Token <input type="password" autocomplete="off" value={token} onInput={(e) => setToken(e.currentTarget.value)} /></label>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <button type="submit" class="main">Connect</button>
    </form>
  );
}
