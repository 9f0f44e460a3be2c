// Accessibility by axe-core: what is serious.
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

interface Finding {
  id: string;
  impact: string | null;
  help: string;
  nodes: { html: string }[];
}

export async function violations(page: Page): Promise<Finding[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const all = await page.evaluate<Finding[]>("axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations)");
  return all.filter((f) => f.impact === "serious" || f.impact === "critical");
}

export const violationsText = (all: Finding[]) => all.map((f) => `${f.impact} ${f.id}: ${f.help}\n  ${f.nodes.map((n) => n.html).join("\n  ")}`).join("\n");
