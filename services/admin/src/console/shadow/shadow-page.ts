import { consoleRoutes, hasRight, pathTo, type ShadowReport } from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { countText, percentText } from "../charts/scales.ts";
import type { ConsolePage } from "../console-document.ts";
import { plural, type SubjectLinks, time } from "../shown-values.ts";

export interface ShadowView {
  /** Undefined: nothing can be compared. */
  readonly report: ShadowReport | undefined;
  /** The kind that is listed; all if undefined. */
  readonly kind: string | undefined;
  readonly links: Pick<SubjectLinks, "search">;
  readonly operator: Pick<Operator, "csrfToken" | "role" | "domain">;
}

const kindNames: Readonly<Record<string, string>> = {
  missing: "Missing in the new backends",
  added: "Only in the new backends",
  password: "Password",
  disabled: "Disabled",
  account: "Account name",
  attributes: "Attributes",
  second_factors: "Second factors",
};

const nameOf = (kind: string): string => kindNames[kind] ?? kind;

const passwordTexts: Readonly<Record<string, string>> = {
  none: "accounts are looked up, without passwords",
  accepted: "with passwords that the old backends accepted",
  all: "with all passwords",
};

const shareOf = ({ compared, different }: Pick<ShadowReport, "compared" | "different">): string =>
  compared === 0 ? "–" : percentText(different / compared);

const whyOff = (order: readonly string[]): string =>
  order.length === 0 ? "auth.shadow.order is empty" : "auth.shadow.percent is 0";

function stateOf({ is_on: isOn, order, percent, passwords, since, last }: ShadowReport): Html {
  const state = isOn
    ? html`<p>${order.join(", ")} ${order.length === 1 ? "gets" : "get"} ${percent} % of the requests, ${passwordTexts[passwords] ?? passwords}.</p>`
    : html`<p>Nothing is compared: ${whyOff(order)}.</p>`;
  return html`${state}${since !== undefined && html`<p>Since ${time(since)}${last !== undefined && html`, last ${time(last)}`}.</p>`}`;
}

function tiles(report: ShadowReport): Html {
  const { compared, different, accounts, omitted } = report;
  const { undecided_old: old, undecided_new: now, dropped } = omitted;
  const all: readonly (readonly [name: string, value: number, about: string])[] = [
    ["Compared", compared, "requests"],
    ["Different", different, shareOf(report)],
    ["Accounts that differ", accounts, "when last compared"],
    [
      "Not comparable",
      old + now + dropped,
      `${countText(old)} old, ${countText(now)} new, ${countText(dropped)} dropped`,
    ],
  ];
  return html`<dl class="tiles">${all.map(
    ([name, value, about]) =>
      html`<div class="plain"><dt>${name}</dt><dd><b>${countText(value)}</b><small>${about}</small></dd></div>`,
  )}</dl>`;
}

function kindsPart({ kinds }: ShadowReport, selected: string | undefined): Html | undefined {
  const found = kinds.filter(({ requests, accounts }) => requests + accounts > 0);
  if (found.length === 0) return undefined;
  const path = pathTo("consoleShadow");
  return html`<h2>Kinds of difference</h2><ul class="counted">${found.map(
    ({ kind, requests, accounts }) =>
      html`<li><a class="name" href="${path}?kind=${kind}"${kind === selected && html` aria-current="true"`}>${nameOf(kind)}</a> <span>${plural(accounts, "account", "accounts")}, ${plural(requests, "request", "requests")}</span></li>`,
  )}</ul>`;
}

/** A page shows as many; the management interface has all. */
const maxRows = 50;

function comparedPart(title: string, rows: ShadowReport["domains"]): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<section><h2>${title}</h2><ul class="counted">${rows
    .slice(0, maxRows)
    .map(
      (row) =>
        html`<li><span class="name">${row.name}</span> <span>${countText(row.different)} of ${countText(row.compared)}, ${shareOf(row)}</span></li>`,
    )}</ul>${rows.length > maxRows && html`<p class="hint">${countText(rows.length - maxRows)} more in GET /api/v1/shadow.</p>`}</section>`;
}

type Difference = ShadowReport["differences"][number];

const values = (digests: readonly string[]): string => (digests.length === 0 ? "absent" : digests.join(" "));

function sides({ old, new: now, attributes = [] }: Difference): Html {
  return html`${old !== undefined && html`<dt>Old</dt><dd>${old}</dd>`}${now !== undefined && html`<dt>New</dt><dd>${now}</dd>`}${attributes.map(
    (one) => html`<dt>${one.name}</dt><dd><code>${values(one.old)}</code> → <code>${values(one.new)}</code></dd>`,
  )}`;
}

function item(difference: Difference, { search }: ShadowView["links"]): Html {
  const { account, kind, protocol, time: at } = difference;
  return html`<li><a href="${search(account)}"><b>${account}</b></a><dl class="pairs"><dt>${nameOf(kind)}</dt><dd>${protocol}, ${time(at)}</dd>${sides(difference)}</dl></li>`;
}

function differencesPart(report: ShadowReport, { kind, links }: ShadowView): Html {
  const { differences, next } = report;
  const path = pathTo("consoleShadow");
  const query = new URLSearchParams({
    ...(kind !== undefined && { kind }),
    ...(next !== undefined && { cursor: next }),
  });
  return html`<h2>${kind === undefined ? "Accounts that differ" : `Accounts that differ: ${nameOf(kind)}`}</h2>${
    kind !== undefined && html`<p><a href="${path}">All kinds</a></p>`
  }${
    differences.length === 0
      ? html`<p class="lead">None.</p>`
      : html`<ul class="things">${differences.map((one) => item(one, links))}</ul><p class="hint">Attributes are shown as digests: equal values have equal digests.</p>`
  }${next !== undefined && html`<p><a href="${path}?${query.toString()}">Next page</a></p>`}`;
}

function resetPart(operator: ShadowView["operator"]): Html {
  const { role, csrfToken } = operator;
  if (!hasRight(operator, consoleRoutes.consoleShadowReset))
    return html`<p class="note">Your role, ${role}, does not permit deleting the report. It needs the role security.</p>`;
  return formOf(
    { action: pathTo("consoleShadowReset"), csrfToken },
    html`<p>Deletes the report. The next comparisons start a new one.</p><button type="submit" class="narrow quiet">Delete the report</button>`,
  );
}

/** Where the answers of other backends differ from those of the backends that decide. */
export function shadowPage(view: ShadowView): ConsolePage {
  const { report, kind, operator } = view;
  const title = "Shadow";
  if (report === undefined)
    return {
      title,
      body: html`<h1>${title}</h1><p class="lead">Nothing is compared: storage.redis.encryption_secret is not set.</p>`,
    };
  return {
    title,
    body: html`<h1>${title}</h1>${stateOf(report)}${
      report.since === undefined
        ? html`<p class="lead">Nothing has been compared yet.</p>`
        : html`${tiles(report)}${kindsPart(report, kind)}<div class="lists">${comparedPart("By domain", report.domains)}${comparedPart("By protocol", report.protocols)}</div>${differencesPart(report, view)}<h2>New report</h2>${resetPart(operator)}`
    }`,
  };
}
