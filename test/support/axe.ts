import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "playwright-core";

/** Every page parses it, which takes a third longer for the text with its comments. */
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** The colour scheme changes nothing but colours, so dark pages are checked by the rules about these only. */
const ruleSets = {
  light: `["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`,
  dark: `{ type: "rule", values: ["color-contrast", "link-in-text-block"] }`,
} as const;

const run = (ruleSet: string): string => `axe.run(document, { runOnly: ${ruleSet}, resultTypes: ["violations"] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 120)).join(" | ")))`;

/** Loads axe-core with every page of a context. Chromium then compiles it once, which takes as long as checking a page. */
export async function loadAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe });
}

/** Violations that axe-core finds on the page in light and in dark colours. The context must have `bypassCSP`. */
export async function axeProblems(page: Page): Promise<readonly string[]> {
  const isLoaded: unknown = await page.evaluate("'axe' in window");
  if (isLoaded !== true) await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const violations: unknown = await page.evaluate(run(ruleSets[colorScheme]));
    if (!Array.isArray(violations)) throw new Error("axe-core returned no list");
    found.push(...violations.map((violation) => `${colorScheme}: ${String(violation)}`));
  }
  return found;
}
