import { consoleRoutes, hasRight, pathTo, ShadowReport } from "@postern/shared/contracts";
import { differenceKinds } from "@postern/shared/domain/shadow";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { comma, countText, joined, percentText, roleWord, t, word } from "../../texts/texts.ts";
import { carryOut, createReadAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, goTo, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { linksOf, type SubjectLinks, time } from "../shown-values.ts";

interface ShadowView {
  /** Undefined: nothing can be compared. */
  readonly report: ShadowReport | undefined;
  /** The kind that is listed; all if undefined. */
  readonly kind: string | undefined;
  readonly links: Pick<SubjectLinks, "search">;
  readonly operator: Pick<Operator, "csrfToken" | "role" | "domain">;
}

const nameOf = (kind: string): Html => word("difference", kind);

const shareOf = ({ compared, different }: Pick<ShadowReport, "compared" | "different">): Html =>
  compared === 0 ? html`–` : percentText(different / compared);

const whyOff = (order: readonly string[]): Html =>
  order.length === 0 ? t("shadow.off_order") : t("shadow.off_percent");

function stateOf({ is_on: isOn, order, percent, passwords, since, last }: ShadowReport): Html {
  const state = isOn
    ? html`<p>${t("shadow.on", { count: order.length, backends: order.join(", "), percent, passwords: word("shadow_passwords", passwords) })}</p>`
    : html`<p>${whyOff(order)}</p>`;
  return html`${state}${since !== undefined && html`<p>${last === undefined ? t("shadow.since", { time: time(since) }) : t("shadow.since_last", { time: time(since), last: time(last) })}</p>`}`;
}

function tiles(report: ShadowReport): Html {
  const { compared, different, accounts, omitted } = report;
  const { undecided_old: old, undecided_new: now, dropped } = omitted;
  const all: readonly (readonly [name: Html, value: number, about: Html])[] = [
    [t("shadow.compared"), compared, t("shadow.requests")],
    [t("shadow.different"), different, shareOf(report)],
    [t("shadow.accounts"), accounts, t("shadow.when_last")],
    [t("shadow.omitted"), old + now + dropped, t("shadow.omitted_about", { old, new: now, dropped })],
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
  return html`<h2>${t("shadow.kinds")}</h2><ul class="counted">${found.map(
    ({ kind, requests, accounts }) =>
      html`<li><a class="name" href="${path}?kind=${kind}"${kind === selected && html` aria-current="true"`}>${nameOf(kind)}</a> <span>${t("shadow.count_accounts", { count: accounts })}${comma}${t("shadow.count_requests", { count: requests })}</span></li>`,
  )}</ul>`;
}

/** A page shows as many; the management interface has all. */
const maxRows = 50;

function comparedPart(title: Html, rows: ShadowReport["domains"]): Html | undefined {
  if (rows.length === 0) return undefined;
  return html`<section><h2>${title}</h2><ul class="counted">${rows
    .slice(0, maxRows)
    .map(
      (row) =>
        html`<li><span class="name">${row.name}</span> <span>${joined([t("house.of", { part: row.different, all: row.compared }), shareOf(row)])}</span></li>`,
    )}</ul>${rows.length > maxRows && html`<p class="hint">${t("shadow.more", { count: rows.length - maxRows })}</p>`}</section>`;
}

type Difference = ShadowReport["differences"][number];

const values = (digests: readonly string[]): Html | string =>
  digests.length === 0 ? t("shadow.absent") : digests.join(" ");

function sides({ old, new: now, attributes = [] }: Difference): Html {
  return html`${old !== undefined && html`<dt>${t("shadow.old")}</dt><dd>${old}</dd>`}${now !== undefined && html`<dt>${t("chart.new")}</dt><dd>${now}</dd>`}${attributes.map(
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
  return html`<h2>${t("shadow.accounts")}${kind !== undefined && html`: ${nameOf(kind)}`}</h2>${
    kind !== undefined && html`<p><a href="${path}">${t("shadow.all")}</a></p>`
  }${
    differences.length === 0
      ? html`<p class="lead">${t("house.none")}</p>`
      : html`<ul class="things">${differences.map((one) => item(one, links))}</ul><p class="hint">${t("shadow.digests")}</p>`
  }${next !== undefined && html`<p><a href="${path}?${query.toString()}">${t("house.next")}</a></p>`}`;
}

function resetPart(operator: ShadowView["operator"]): Html {
  const { role, csrfToken } = operator;
  if (!hasRight(operator, consoleRoutes.consoleShadowReset))
    return html`<p class="note">${t("shadow.role", { role: roleWord(role), higher: roleWord("security") })}</p>`;
  return formOf(
    { action: pathTo("consoleShadowReset"), csrfToken },
    html`<p>${t("shadow.delete_about")}</p><button type="submit" class="narrow quiet">${t("shadow.delete")}</button>`,
  );
}

/** Where the answers of other backends differ from those of the backends that decide. */
function shadowPage(view: ShadowView): ConsolePage {
  const { report, kind, operator } = view;
  const title = t("page.shadow");
  if (report === undefined)
    return {
      title,
      id: "shadow",
      body: html`<h1>${title}</h1><p class="lead">${t("shadow.no_secret")}</p>`,
    };
  return {
    title,
    id: "shadow",
    body: html`<h1>${title}</h1>${stateOf(report)}${
      report.since === undefined
        ? html`<p class="lead">${t("shadow.nothing")}</p>`
        : html`${tiles(report)}${kindsPart(report, kind)}<div class="lists">${comparedPart(t("shadow.domains"), report.domains)}${comparedPart(t("overview.protocols"), report.protocols)}</div>${differencesPart(report, view)}<h2>${t("shadow.new_report")}</h2>${resetPart(operator)}`
    }`,
  };
}

const readReport = createReadAnswer(ShadowReport);
const cursorForm = /^\d{1,15} [\w -]{1,128}$/u;

/** `GET /console/shadow`; with `kind`, only differences of one kind. */
export async function getShadowPage({ ask, handles }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const [wanted, cursor] = [queryOf(request, "kind"), queryOf(request, "cursor")];
  const kind = differenceKinds.find((known) => known === wanted);
  if (kind !== wanted || (cursor !== undefined && !cursorForm.test(cursor))) return "not_found";
  const query = { ...(kind !== undefined && { kind }), ...(cursor !== undefined && { cursor }) };
  const report = await readReport(ask, operator, { operation: "showShadowReport", query });
  return shadowPage({ report, kind, operator, links: linksOf(handles, operator) });
}

/** `POST /console/shadow/reset` */
export async function postShadowReset({ ask }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { reply, operator } = visit;
  await carryOut(ask, operator, { operation: "resetShadowReport" });
  return goTo(reply, pathTo("consoleShadow"));
}
