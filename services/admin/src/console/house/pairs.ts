import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../../texts/texts.ts";

/** Without a value, it is left out. */
export type Fact = readonly [name: Html | string, value: Html | string | undefined | false];

/** Names with their values. Nothing without one. */
export function pairs(facts: readonly Fact[]): Html | undefined {
  const known = facts.filter(([, value]) => value !== undefined && value !== false);
  return known.length === 0
    ? undefined
    : html`<dl class="pairs">${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** What a row opens. @param name of the row, for people who do not see it */
export const details = (name: string, facts: readonly Fact[]): Html =>
  html`<details><summary>${t("house.details")}<span class="hidden">: ${name}</span></summary>${pairs(facts)}</details>`;
