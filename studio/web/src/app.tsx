import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { words, type Model } from "./api.ts";
import { Draw } from "./draw.tsx";
import { Experts } from "./experts.tsx";
import { Learn } from "./learn.tsx";
import { Rules } from "./rules.tsx";
import { Sample } from "./sample.tsx";
import { api, connect, link, modelID, models, refresh, server, useCell, useModel, wantKind } from "./store.ts";
import { Tables } from "./tables.tsx";
import { theme, toggleTheme } from "./theme.ts";
import { view, views, type View } from "./views.ts";

const titles: Record<View, string> = { draw: "Draw", experts: "Parts", sample: "Sample", learn: "Learn", rules: "Rules", tables: "Tables" };

/** The whole page. */
export function App(): JSX.Element {
  const now = useCell(view), state = useCell(link), model = useModel(), all = useCell(models), s = useCell(server);
  useEffect(() => void connect(), []);
  useEffect(() => {
    if (now === "draw") wantKind(false);
    if (now === "tables") wantKind(true);
  }, [now, all]);
  useEffect(() => { document.title = `${titles[now]} · Patchwork studio`; }, [now]);
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the content</a>
      <header>
        <span class="logo"><img src="./icon.svg" alt="" width="28" height="28" />Patchwork</span>
        <nav aria-label="Views">
          {views.map((v) => <a key={v} href={`#/${v}`} aria-current={v === now ? "page" : undefined}>{titles[v]}</a>)}
        </nav>
        <Choose at={now} />
        <ThemeButton />
      </header>
      <div role="alert" class={state === "down" ? "banner" : "hidden"}>
        {state === "down" && "The server does not answer; your drawing is kept. Trying again every second."}
      </div>
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{titles[now]}</h1>
        {state === "token" ? <Token /> : <Body at={now} model={model} />}
      </main>
      <footer>
        Patchwork {s?.version} · <a href="./openapi.json">API</a> · the method of <cite>Compact Compositional Models</cite>, Goessling and Amit, 2015 · <a href="./licenses.txt">licences</a>
      </footer>
    </>
  );
}

function Body({ at, model }: { at: View; model: Model | null }): JSX.Element {
  const state = useCell(link), s = useCell(server);
  if (at === "learn") return <Learn />;
  if (at === "rules") return <Rules />;
  if (!model) return <p class="intro">{state === "connecting" ? "Loading…" : state === "down" ? "" : !s?.ready ? "The server is learning its first model; this takes a few seconds." : "No model is loaded. Learn one in the Learn view, or open a model file above."}</p>;
  if (at === "tables") return model.table ? <Tables model={model} /> : !s?.ready ? <p class="intro">The server is learning its first models; this takes a few seconds.</p> : <p class="intro">No model of a table is loaded. Learn one from a table in the Learn view, or open a model file above.</p>;
  if (at === "draw") return model.table ? <p class="intro">All loaded models are for tables: see the Tables view.</p> : <Draw model={model} />;
  return at === "experts" ? <Experts key={model.id} model={model} /> : <Sample key={model.id} model={model} />;
}

/** Selects the model, and opens model files. */
function Choose({ at }: { at: View }): JSX.Element {
  const all = useCell(models), id = useCell(modelID), s = useCell(server), input = useRef<HTMLInputElement>(null), [wrong, setWrong] = useState("");
  const list = all.filter((m) => (at === "draw" ? !m.table : at === "tables" ? m.table : true));
  const take = async (file: File | undefined) => {
    if (!file) return;
    try {
      const m = await api.addModel(file);
      await refresh();
      modelID.set(m.id);
      setWrong("");
    } catch (error) {
      setWrong(`${file.name} was not read: ${words(error)}`);
    }
  };
  return (
    <div class="choose">
      <label class="inline"><span class="wide-only">Model</span>
        <select aria-label="Model" value={id} disabled={list.length === 0} onChange={(e) => modelID.set(e.currentTarget.value)}>
          {list.map((m) => <option key={m.id} value={m.id}>{m.name} ({m.experts} parts, {m.table ? `${m.width} columns` : `${m.height} × ${m.width}`})</option>)}
        </select>
      </label>
      {s?.upload !== false && <button type="button" title="Open a model file" aria-label="Open a model file" onClick={() => input.current?.click()}>Open…</button>}
      <input type="file" ref={input} hidden accept=".npz" data-test="model-file" aria-label="Model file" onChange={(e) => { void take(e.currentTarget.files?.[0]); e.currentTarget.value = ""; }} />
      {wrong && <p class="error" role="alert">{wrong}</p>}
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
      <p>It was set with <code>PATCHWORK_TOKEN</code> or <code>--token</code> when the server was started. This page keeps it only in this tab.</p>
      <label class="field">Token <input type="password" autocomplete="off" value={token} onInput={(e) => setToken(e.currentTarget.value)} /></label>
      {wrong && <p class="error" role="alert">{wrong}</p>}
      <button type="submit" class="main">Connect</button>
    </form>
  );
}
