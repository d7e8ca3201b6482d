import type { AccountReport, BackendDescription } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { joined, t, word } from "../../texts/texts.ts";
import { badge, moodOf } from "../house/badge.ts";
import { card } from "../house/card.ts";

type Pair = readonly [name: Html | string, value: Html | string];

function factsOf({ account, account_field: field, attributes, groups, stores }: BackendDescription): readonly Pair[] {
  return [
    ...(account === undefined
      ? []
      : [[t("col.account"), field === undefined ? account : `${account} (${field})`] as const]),
    ...Object.entries(attributes ?? {}).map(([name, values]) => [name, values.join(", ")] as const),
    ...(groups === undefined
      ? []
      : [[t("account.groups"), groups.length === 0 ? t("account.no_groups") : groups.join(", ")] as const]),
    ...(stores.length === 0 ? [] : [[t("account.stores"), joined(stores.map((one) => word("stored", one)))] as const]),
  ];
}

function backendPart(backend: BackendDescription): Html {
  const { name, outcome, code } = backend;
  const facts = factsOf(backend);
  return html`<h3>${name} ${badge(moodOf(outcome), word("state", outcome))}</h3><p>${word("backend", outcome)}${code !== undefined && html` ${t("account.error_code", { code })}`}</p>${
    facts.length > 0 &&
    html`<dl class="pairs">${facts.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`
  }`;
}

/** Shows what `postern directory test` shows; the engines leave secrets out. */
export function backendsPart({ backends, protocol }: AccountReport): Html {
  return card({
    title: t("col.backends"),
    count: backends.length,
    body: html`<p class="lead">${t("account.queried", { protocol })}</p>${
      backends.length === 0 ? html`<p>${t("account.no_engine")}</p>` : backends.map(backendPart)
    }`,
  });
}
