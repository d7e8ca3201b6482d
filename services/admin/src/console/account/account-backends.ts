import type { AccountReport, BackendDescription } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { badge, moodOf } from "../house/badge.ts";
import { card } from "../house/card.ts";

const outcomes: Readonly<Record<string, string>> = {
  found: "Has the account.",
  disabled: "Has the account, which is disabled.",
  unknown_user: "Does not have the account.",
  not_served: "Has no search for this protocol.",
  unavailable: "Does not answer.",
};

/** On the badge. */
const words: Readonly<Record<string, string>> = { unknown_user: "no account", not_served: "not served" };

const stored: Readonly<Record<string, string>> = {
  totp: "authenticator app",
  recovery_codes: "recovery codes",
  webauthn: "passkeys",
  app_passwords: "app passwords",
};

type Pair = readonly [name: string, value: string];

function factsOf({ account, account_field: field, attributes, groups, stores }: BackendDescription): readonly Pair[] {
  return [
    ...(account === undefined ? [] : [["Account", field === undefined ? account : `${account} (${field})`] as const]),
    ...Object.entries(attributes ?? {}).map(([name, values]) => [name, values.join(", ")] as const),
    ...(groups === undefined ? [] : [["Groups", groups.length === 0 ? "none" : groups.join(", ")] as const]),
    ...(stores.length === 0 ? [] : [["Stores", stores.map((one) => stored[one] ?? one).join(", ")] as const]),
  ];
}

function backendPart(backend: BackendDescription): Html {
  const { name, outcome, code } = backend;
  const facts = factsOf(backend);
  return html`<h3>${name} ${badge(moodOf(outcome), words[outcome] ?? outcome)}</h3><p>${outcomes[outcome] ?? outcome}${code !== undefined && html` Error code: ${code}.`}</p>${
    facts.length > 0 &&
    html`<dl class="pairs">${facts.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`
  }`;
}

/** Shows what `postern directory test` shows; the engines leave secrets out. */
export function backendsPart({ backends, protocol }: AccountReport): Html {
  return card({
    title: "Backends",
    count: backends.length,
    body: html`<p class="lead">Queried for the protocol ${protocol}. The first that has the account decides.</p>${
      backends.length === 0 ? html`<p>No engine answered.</p>` : backends.map(backendPart)
    }`,
  });
}
