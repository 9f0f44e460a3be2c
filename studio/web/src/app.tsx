import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Model } from "./api.ts";
import { Classes } from "./classes.tsx";
import { Draw } from "./draw.tsx";
import { Experts } from "./experts.tsx";
import { Find } from "./find.tsx";
import { apart } from "./names.ts";
import { plural } from "./format.ts";
import { Learn } from "./learn.tsx";
import { Rules } from "./rules.tsx";
import { Sample } from "./sample.tsx";
import { Start } from "./start.tsx";
import { Rows } from "./rows.tsx";
import { api, connect, data, home, link, missing, modelID, models, ofNumbers, server, useCell, useModel, viewOf, wantModelFor } from "./store.ts";
import { follow, go, open, view } from "./address.ts";
import { Manage } from "./manage.tsx";
import { dropped, take } from "./opened.ts";
import type { View } from "./place.ts";
import { OpenFiles, Reading } from "./reading.tsx";
import { useAttempt } from "./uselatest.ts";

/** The views by task, in the order of the menu; one tab may have several. */
const tabs: { title: string; views: View[] }[] = [
  { title: "Explore", views: ["experts"] }, { title: "Learn", views: ["learn"] }, { title: "Rows", views: ["rows", "draw"] },
  { title: "Classify", views: ["classes"] }, { title: "Find", views: ["find"] }, { title: "How it works", views: ["rules", "sample"] },
];
const titles: Partial<Record<View, string>> = { start: "Start", draw: "Draw", rules: "Rules", sample: "Sample" };
const titleOf = (v: View) => titles[v] ?? tabs.find((t) => t.views.includes(v))?.title ?? "";

/** The whole page. */
export function App(): JSX.Element {
  const now = useCell(view), state = useCell(link), model = useModel(), all = useCell(models), s = useCell(server), lost = useCell(missing);
  useEffect(() => { follow(); void connect(); }, []);
  useEffect(() => first(model), [model?.id, state, s?.ready]);
  useEffect(() => {
    if (now === "draw" || now === "rows") wantModelFor(now);
  }, [now, all]);
  useEffect(() => { document.title = `${titleOf(now)} · Patchwork studio`; }, [now]);
  return (
    <div class="page" onDragOver={(e) => e.preventDefault()} onDrop={(e) => { e.preventDefault(); void dropped(e.dataTransfer).then(take); }}>
      <a class="skip" href="#main" onClick={(e) => { e.preventDefault(); document.querySelector<HTMLElement>("main")?.focus(); }}>Skip to the content</a>
      <header>
        <a class="logo" href="#/start"><img src="./icon.svg" alt="" width="28" height="28" />Patchwork</a>
        <nav aria-label="Views">
          {tabs.map((t) => (
            <a key={t.title} href={`#/${t.views.length > 1 && model && t.views[0] === "rows" ? viewOf(model) : t.views[0]}`}
              aria-current={t.views.includes(now) ? "page" : undefined}>{t.title}</a>
          ))}
        </nav>
        <Choose />
      </header>
      <div role="alert" class={state === "down" ? "banner" : "hidden"}>
        {state === "down" && `${home.it} does not answer; your drawing is kept. Trying again every second.`}
      </div>
      <main id="main" tabIndex={-1}>
        <h1 class="hidden">{titleOf(now)}</h1>
        {(now === "rules" || now === "sample") && <HowItWorks now={now} />}
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
  if (at === "start") return <Start />;
  if (at === "learn") return <Learn />;
  if (at === "rules") return <Rules />;
  if (at === "find") return <Find />;
  if (at === "classes") return <Classes />;
  if (!model) return <p class="intro">{state === "connecting" ? "Loading…" : state === "down" ? "" : !s?.ready ? `${home.it} is learning its first model; this takes a few seconds.` : "No model is loaded. Learn one in the Learn view, or open a file above."}</p>;
  const fits = viewOf(model) === at;
  if (at === "rows" && !fits) return <p class="intro">{s?.ready ? <>No model of a table or of numbers is loaded. <a href="#/learn">Learn one</a>, or open a model file above.</> : `${home.it} is learning its first models; this takes a few seconds.`}</p>;
  if (at === "rows") return <Rows model={model} />;
  if (at === "draw") return fits ? <Draw model={model} /> : <p class="intro">All loaded models are for rows: see the <a href="#/rows">Rows view</a>.</p>;
  return at === "experts" ? <Experts key={model.id} model={model} /> : <Sample key={model.id} model={model} />;
}

/** The two views that show how a model works. */
function HowItWorks({ now }: { now: View }): JSX.Element {
  return (
    <nav class="row" aria-label="How it works">
      {(["rules", "sample"] as const).map((v) => (
        <a key={v} href={`#/${v}`} aria-current={v === now ? "page" : undefined}>{v === "rules" ? "How votes are combined" : "New samples"}</a>
      ))}
    </nav>
  );
}

/** Where the page begins if the address does not say: with what the server was started for, else at the start. */
function first(model: Model | null): void {
  if (!open || !model) return;
  const own = data.value.find((d) => d.fixed && /^d\d+$/.test(d.id));
  if (model.source === "file") go({ view: viewOf(model) });
  else if (own) go({ view: "learn", data: own.id });
}

/** Selects the model, opens files, and leads to what there is. */
function Choose(): JSX.Element {
  const all = useCell(models), id = useCell(modelID), [managing, setManaging] = useState(false);
  const choose = (to: string) => {
    const m = all.find((x) => x.id === to), explains = view.value === "draw" || view.value === "rows";
    go({ model: to, ...(m && explains ? { view: viewOf(m) } : view.value === "start" ? { view: "experts" } : {}) });
  };
  const named = (m: Model) => `${apart(all, m)} (${plural(m.experts, "part")}, ${m.table ? plural(m.width, "column") : `${m.height} × ${m.width}`}${ofNumbers(m) ? ", numbers" : ""})`, now = all.find((m) => m.id === id);
  return (
    <div class="choose">
      <label class="inline"><span class="wide-only">Model</span>
        <select aria-label="Model" title={now && named(now)} value={id} disabled={all.length === 0} onChange={(e) => choose(e.currentTarget.value)}>
          {all.map((m) => <option key={m.id} value={m.id}>{named(m)}</option>)}
        </select>
      </label>
      <OpenFiles short />
      <button type="button" title="Rename, download or remove models and data" aria-haspopup="dialog" onClick={() => setManaging(true)}>Manage…</button>
      {managing && <Manage onClose={() => setManaging(false)} />}
    </div>
  );
}

/** Asks for the token of the server. */
function Token(): JSX.Element {
  const [token, setToken] = useState(""), { wrong, attempt } = useAttempt();
  const send = () => attempt(async () => {
    api.setToken(token.trim());
    await api.server();
    link.set("connecting");
    void connect();
  });
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
