import type { SystemReport } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { ConsolePage } from "../console-document.ts";
import { configurationPart } from "./configuration-part.ts";

export interface ConfigurationView {
  /** The configuration in effect, without secrets. Undefined: its operation is disabled. */
  readonly values: unknown;
  readonly system: SystemReport;
}

type Leaf = readonly [path: string, value: string];

const isSection = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

/** The keys below a value with their full paths, in their order. */
function leavesOf(path: string, value: unknown): readonly Leaf[] {
  if (!isSection(value)) return [[path, typeof value === "string" ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, below]) => leavesOf(`${path}.${name}`, below));
}

function sectionPart(name: string, value: unknown, changed: ReadonlySet<string>): Html {
  const rows = leavesOf(name, value).map(
    ([path, text]) =>
      html`<dt><code>${path}</code></dt><dd>${text === "" ? html`<span class="empty">empty</span>` : text}${
        changed.has(path) && html` <b class="bad">Changed</b>`
      }</dd>`,
  );
  return html`<details><summary>${name} (${rows.length} ${rows.length === 1 ? "key" : "keys"})</summary><dl class="pairs keys">${rows}</dl></details>`;
}

/** What admin runs with, and what a reload or another process has differently. */
export function configurationPage({ values, system }: ConfigurationView): ConsolePage {
  const { configuration } = system;
  const changed = new Set([...configuration.changed, ...configuration.needs_restart]);
  return {
    title: "Configuration",
    body: html`<h1>Configuration</h1>${configurationPart(system)}<h2>Values in effect</h2>${
      values === undefined
        ? html`<p class="lead">Not shown, because runtime.servers.http.disabled_endpoints.configuration is true.</p>`
        : html`<p class="lead">The values that admin uses. Secrets are masked.</p>${Object.entries(Object(values)).map(
            ([name, value]) => sectionPart(name, value, changed),
          )}`
    }`,
  };
}
