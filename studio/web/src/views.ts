// The current view; it is the fragment of the address, so that the back button and bookmarks work.
import { Cell } from "./store.ts";

export const views = ["draw", "experts", "sample", "learn", "rules", "tables"] as const;
export type View = (typeof views)[number];

export const view = new Cell<View>(read());

function read(): View {
  const name = location.hash.replace(/^#\/?/, "");
  return (views as readonly string[]).includes(name) ? (name as View) : "draw";
}

export function go(to: View): void {
  location.hash = `#/${to}`;
}

addEventListener("hashchange", () => view.set(read()));
