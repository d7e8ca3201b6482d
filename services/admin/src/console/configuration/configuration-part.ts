import type { SystemReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { time } from "../shown-values.ts";

function keys(title: string, paths: readonly string[]): Html | undefined {
  return paths.length === 0
    ? undefined
    : html`<p>${title}:</p><ul class="links">${paths.map((path) => html`<li><code>${path}</code></li>`)}</ul>`;
}

/** Since when the configuration is in effect, where it differs, and what waits for a restart. */
export function configurationPart({ configuration }: SystemReport): Html {
  const { digest, loaded, changed, needs_restart: restart, is_uniform: isUniform } = configuration;
  return html`<p>Loaded ${time(loaded)}, digest <code>${digest}</code>. ${
    isUniform ? "All processes that answered have it." : html`<b class="bad">Not all processes have it.</b>`
  }</p>${keys("Changed since the start", changed)}${keys("Waiting for a restart", restart)}`;
}
