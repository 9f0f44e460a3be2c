// Light or dark: the preference of the system.
import { darkPaper, lightPaper, type Paper } from "./palette.ts";
import { Cell, useCell } from "./store.ts";

const system = matchMedia("(prefers-color-scheme: dark)");
export const theme = new Cell<"light" | "dark">(system.matches ? "dark" : "light");

system.addEventListener("change", () => theme.set(system.matches ? "dark" : "light"));

/** The colours of images in the current theme. */
export function usePaper(): Paper {
  return useCell(theme) === "dark" ? darkPaper : lightPaper;
}
