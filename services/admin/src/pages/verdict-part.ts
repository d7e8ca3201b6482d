import type { Explanation } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { time } from "./shown-values.ts";

/** The answer in a sentence. */
export function verdictPart({ state, verdict: sentence, incomplete, delay }: Explanation): Html {
  return html`<div class="verdict ${state}" role="status">${sentence}${
    delay !== undefined && html`<p>Correct passwords succeed, after a delay, until ${time(delay.until)}.</p>`
  }${incomplete.map((missing) => html`<p>Incomplete: ${missing}.</p>`)}</div>`;
}
