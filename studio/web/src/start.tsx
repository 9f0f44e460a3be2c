import type { JSX } from "preact";
import { go } from "./address.ts";
import { OpenButton } from "./choosers.tsx";
import { take } from "./opened.ts";
import { home, server, useCell } from "./store.ts";

/** Invented readings of sixty days in four rooms: heat, damp and draught each move some of the columns. */
function rooms(): File {
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const about = (mean: number, deviation: number) => mean + deviation * (random() + random() + random() - 1.5) * 2;
  const lines = ["day,room,radiator,air,floor,humidity,window,draught,co2"];
  for (let i = 0; i < 240; i++) {
    const heated = random() < 0.4 ? 1 : 0, damp = random() < 0.3 ? 1 : 0, aired = random() < 0.3 ? 1 : 0;
    const values = [
      about(24 + 26 * heated, 2), about(18 + 4 * heated, 0.7), about(17 + 3 * heated, 0.7), about(45 + 25 * damp, 4), about(9 - 3 * damp, 0.8),
      about(0.1 + 0.5 * aired, 0.05), about(1100 - 500 * aired, 80),
    ];
    lines.push([`${1 + Math.floor(i / 4)}`, ["kitchen", "study", "cellar", "attic"][i % 4], ...values.map((v) => v.toFixed(2))].join(","));
  }
  return new File([`${lines.join("\n")}\n`], "rooms.csv", { type: "text/csv" });
}

const cards: { title: string; text: string; example: () => void; yours: string; files: string }[] = [
  {
    title: "Drawings", text: "Letters, symbols, pictures of one kind of thing: which strokes they are made of, and where each sits.",
    example: () => go({ view: "draw", model: "letter-t" }), yours: "Use your pictures…", files: "image/*,.npz,.npy,.zip,.gz",
  },
  {
    title: "A table", text: "Answers, species, baskets, categories: which columns go together, and in which rows.",
    example: () => go({ view: "experts", model: "baskets", data: "baskets" }), yours: "Use your table…", files: "",
  },
  {
    title: "Measurements", text: "Numbers of any unit, with gaps: which are high or low together, what a gap probably is, which rows are odd.",
    example: () => void take([{ file: rooms(), path: "rooms.csv" }]), yours: "Use your measurements…", files: "",
  },
];

/** Where people begin who have never been here. */
export function Start(): JSX.Element {
  const s = useCell(server);
  return (
    <div class="view start">
      <p class="intro">
        Patchwork finds the few <b>parts</b> that your data are made of, and shows which of them each row or picture has, what does not
        fit, and what is probably in the gaps.
      </p>
      <ul class="gallery cards">
        {cards.map((c) => (
          <li key={c.title} class="card">
            <h2>{c.title}</h2>
            <p>{c.text}</p>
            <p class="row"><button type="button" onClick={c.example}>See an example</button>
              {s?.upload !== false && <OpenButton main label={c.yours} name={c.yours} test="yours" accept={c.files} onFiles={(f) => void take(f)} />}</p>
          </li>
        ))}
      </ul>
      <p class="fine">
        Or drop files anywhere on this page, <a href="#/learn">draw ten letters</a> to learn from, or <a href="#/find">find a symbol</a> on
        a scan. {home.here ? "Nothing leaves this tab." : "Files go to this server and nowhere else."}
      </p>
    </div>
  );
}
