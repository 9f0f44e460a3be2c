// Light or dark: the preference of the system, unless the user has chosen.
import { Cell, useCell } from "./store.ts";
import { darkPaper, lightPaper, type Paper } from "./palette.ts";

export type Theme = "light" | "dark";

const key = "patchwork-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const stored = localStorage.getItem(key);
const chosen = new Cell<Theme | null>(stored === "light" || stored === "dark" ? stored : null);
export const theme = new Cell<Theme>(current());

function current(): Theme {
  return chosen.value ?? (system.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset.theme = current();
  theme.set(current());
}

apply();
system.addEventListener("change", apply);

export function toggleTheme(): void {
  chosen.set(current() === "dark" ? "light" : "dark");
  localStorage.setItem(key, chosen.value as string);
  apply();
}

/** The colours of images in the current theme. */
export function usePaper(): Paper {
  return useCell(theme) === "dark" ? darkPaper : lightPaper;
}
