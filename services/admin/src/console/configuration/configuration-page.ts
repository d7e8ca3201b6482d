import { ConfigLoad, SystemReport } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { compileCheck } from "@postern/shared/platform/http";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { t } from "../../texts/texts.ts";
import { createRequireAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import type { ConsoleVisit, PageAnswer } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { time } from "../shown-values.ts";

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
      html`<dt><code>${path}</code></dt><dd>${text === "" ? html`<span class="empty">${t("configuration.empty")}</span>` : text}${
        changed.has(path) && html` <b class="bad">${t("configuration.changed")}</b>`
      }</dd>`,
  );
  return html`<details><summary>${t("configuration.section", { name, count: rows.length })}</summary><dl class="pairs keys">${rows}</dl></details>`;
}

/** What admin runs with, and what a reload or another process has differently. */
export function configurationPage({ values, system }: ConfigurationView): ConsolePage {
  const { configuration } = system;
  const title = t("page.configuration");
  const changed = new Set([...configuration.changed, ...configuration.needs_restart]);
  return {
    title,
    id: "configuration",
    body: html`<h1>${title}</h1>${configurationPart(system)}<h2>${t("configuration.values")}</h2>${
      values === undefined
        ? html`<p class="lead">${t("configuration.hidden")}</p>`
        : html`<p class="lead">${t("configuration.masked")}</p>${Object.entries(Object(values)).map(([name, value]) =>
            sectionPart(name, value, changed),
          )}`
    }`,
  };
}

function keys(title: Html, paths: readonly string[]): Html | undefined {
  return paths.length === 0
    ? undefined
    : html`<p>${title}:</p><ul class="links">${paths.map((path) => html`<li><code>${path}</code></li>`)}</ul>`;
}

/** Since when the configuration is in effect, where it differs, and what waits for a restart. */
export function configurationPart({ configuration }: SystemReport): Html {
  const { digest, loaded, changed, needs_restart: restart, is_uniform: isUniform } = configuration;
  return html`<p>${t("configuration.loaded", { time: time(loaded), digest: html`<code>${digest}</code>` })} ${
    isUniform ? t("configuration.uniform") : html`<b class="bad">${t("configuration.different")}</b>`
  }</p>${keys(t("configuration.since_start"), changed)}${keys(t("configuration.waiting"), restart)}`;
}

const readSystem = createRequireAnswer(SystemReport);
const check = compileCheck(ConfigLoad);

async function valuesFor({ ask }: ConsolePagesDeps, operator: Operator): Promise<ConfigurationView["values"]> {
  const { status, body } = await ask(operator, { operation: "loadConfiguration" });
  if (status === 404) return undefined;
  if (status === 200 && check.accepts(body)) return JSON.parse(body.result);
  throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `loadConfiguration returned ${status}` });
}

/** `GET /console/configuration`: without secrets, as the operation returns it. */
export async function getConfigurationPage(deps: ConsolePagesDeps, { operator }: ConsoleVisit): Promise<PageAnswer> {
  const [values, system] = await Promise.all([
    valuesFor(deps, operator),
    readSystem(deps.ask, operator, { operation: "showSystem" }),
  ]);
  return configurationPage({ values, system });
}
