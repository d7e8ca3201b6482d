import {
  AccountReport,
  DecisionHistoryPage,
  Explanation,
  OidcSessionList,
  pathTo,
  RiskExplanation,
} from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Operator } from "../../operators/operator.ts";
import { comma, english, t, word } from "../../texts/texts.ts";
import {
  type Actionable,
  actionsOf,
  actNotice,
  createOffered,
  missingActions,
  type ShownReach,
} from "../action-forms.ts";
import { actionableOn, queryIn } from "../actionable.ts";
import { createReadAnswer, createRequireAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, type PageAnswer, shownReach } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { badge, stateBadge } from "../house/badge.ts";
import { card } from "../house/card.ts";
import { askedByName } from "../searched-text.ts";
import { sendersPart } from "../senders-part.ts";
import { time, untaggedNote } from "../shown-values.ts";
import { accountSignIns } from "../sign-ins/sign-ins-part.ts";
import { suspiciousPart } from "../suspicious-part.ts";
import { causesPart, incompleteText, verdictPart } from "../verdict-part.ts";
import { appPasswordsPart, backendsPart, devicesPart, factorsPart, sessionsPart } from "./account-credentials.ts";

/** What is known about one account. */
export interface AccountAnswer {
  readonly report: AccountReport;
  readonly explanation: Explanation;
  /** Undefined: the decision history is off. */
  readonly history: DecisionHistoryPage | undefined;
  /** Undefined: they could not be read. */
  readonly sessions: OidcSessionList | undefined;
  /** Undefined: they could not be read. */
  readonly risk: RiskExplanation | undefined;
}

export interface AccountView extends Actionable {
  readonly reach: ShownReach;
  /** What the operator typed. */
  readonly query: string;
  /** Undefined before an account is chosen. */
  readonly answer: AccountAnswer | undefined;
  readonly nowMs: number;
}

function box({ operator: { csrfToken } }: AccountView): Html {
  return html`<form method="post" action="${pathTo("consoleFindAccount")}" class="narrow"><input type="hidden" name="csrf_token" value="${csrfToken}"><div class="field"><label for="account">${t("account.query")}</label><input type="text" id="account" name="query" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">${t("house.show")}</button></form>`;
}

function notificationsPart({ notifications, sends_notifications: isOn }: AccountReport): Html {
  const body = html`${isOn === false && html`<p class="lead">${t("account.notices_off")}</p>`}${
    notifications.length === 0
      ? isOn !== false && html`<p class="lead">${t("account.no_notices")}</p>`
      : html`<ul class="counted">${notifications.map(
          ({ event, channel, outcome, time: sent }) =>
            html`<li><span class="name">${word("event", event)}</span> <span>${stateBadge(outcome)} ${t("account.sent", { channel, time: time(sent) })}</span></li>`,
        )}</ul>`
  }`;
  return card({ title: t("account.notices"), count: notifications.length, body });
}

function missing({ report: { incomplete }, sessions, risk }: AccountAnswer): Html | undefined {
  const all = [
    ...incomplete,
    ...(sessions === undefined ? [english["incomplete.sessions"]] : []),
    ...(risk === undefined ? [english["incomplete.suspicious"]] : []),
  ];
  return all.length === 0
    ? undefined
    : html`<div class="note">${all.map((text) => html`<p>${incompleteText(text)}</p>`)}</div>`;
}

/** The sessions that suspending the account and ending its sessions end. */
function countsOf(sessions: OidcSessionList | undefined): Html | undefined {
  if (sessions === undefined) return undefined;
  const { browser_sessions: browsers = [], sessions: tokens } = sessions;
  const ofBrowsers = t("account.count_browser", { count: browsers.length });
  const ofClients = t("account.count_client", { count: tokens.length });
  return html`${ofBrowsers}${comma}${ofClients}`;
}

const isSuspended = ({ causes = [] }: Explanation): boolean => causes.some(({ kind }) => kind === "suspension");

/** What the account has, each kind with its number. */
function possessions(view: AccountView, { report, sessions }: AccountAnswer, name: string): Html {
  return html`<aside aria-label="${t("account.has")}">${factorsPart(view, name, report)}${devicesPart(view, name, report)}${appPasswordsPart(view, name, report)}${
    sessions !== undefined && sessionsPart(view, name, sessions)
  }${notificationsPart(report)}${backendsPart(report)}</aside>`;
}

function answerPart(view: AccountView, answer: AccountAnswer): Html {
  const { report, explanation, history, sessions, risk } = answer;
  const { links, nowMs } = view;
  const name = report.account ?? view.query;
  const offered = createOffered();
  const general = (): Html | undefined => {
    const ids = (["flush", "unlock", "lost-phone", "end-sessions", "suspend", "invite"] as const).filter(
      (id) =>
        !offered.has(id, name) &&
        !(id === "suspend" && isSuspended(explanation)) &&
        // It stands with the second factors, or the reason why it cannot be used.
        !(id === "lost-phone" && report.lost_phone !== undefined),
    );
    return actionsOf(view, ids, { target: name, ends: countsOf(sessions) });
  };
  const verdict = verdictPart(view, explanation, { offered, others: general, ends: countsOf(sessions) });
  return html`<div class="columns"><div>${verdict}${causesPart(view, explanation, offered)}${sendersPart(links, explanation)}${
    report.account === undefined && html`<p class="lead">${t("account.nowhere")}</p>`
  }${missing(answer)}${missingActions(view)}${risk !== undefined && suspiciousPart(view, risk, explanation)}${accountSignIns(
    { links, history, bans: explanation.bans, nowMs },
    report.changes ?? [],
  )}<p><a href="${links.search(name)}">${t("account.everything")}</a></p></div>${possessions(view, answer, name)}</div>`;
}

/** One account: how it signs in, where it is signed in, and what can be removed. */
export function accountPage(view: AccountView): ConsolePage {
  const { answer } = view;
  const title = t("page.account");
  if (answer === undefined)
    return { title, id: "account", body: html`${actNotice(view)}<h1>${title}</h1>${box(view)}` };
  const { report, explanation } = answer;
  return {
    title,
    id: "account",
    query: view.query,
    body: html`${actNotice(view)}<p class="eyebrow">${title}</p><h1>${report.account ?? view.query}${
      isSuspended(explanation) && badge("bad", t("standing.suspended"))
    }</h1>${untaggedNote(view.query, report.query)}${answerPart(view, answer)}`,
  };
}

const readReport = createRequireAnswer(AccountReport);
const readExplanation = createRequireAnswer(Explanation);
const readHistory = createReadAnswer(DecisionHistoryPage);
const readRisk = createReadAnswer(RiskExplanation);
const readSessions = createReadAnswer(OidcSessionList);
/** The most that the interface lists: more than an account has, unless per_account is raised. */
const maxRecords = "500";

async function answerTo({ ask }: ConsolePagesDeps, operator: Operator, query: string): Promise<AccountAnswer> {
  const report = await askedByName(
    { name: query, operator: operator.account },
    (name) => readReport(ask, operator, { operation: "showAccount", body: { account: name } }),
    ({ account: found }) => found !== undefined,
  );
  const { account = query } = report;
  const ofSessions = { path: { user_id: account }, query: { browser: "true" } };
  const [explanation, history, sessions, risk] = await Promise.all([
    readExplanation(ask, operator, { operation: "explain", query: { query: account } }),
    readHistory(ask, operator, { operation: "listDecisions", query: { account, limit: maxRecords } }),
    // The rest of the page needs neither the identity provider nor what engines know of the account's risk.
    readSessions(ask, operator, { operation: "listOidcSessions", ...ofSessions }).catch(() => undefined),
    readRisk(ask, operator, { operation: "explainRisk", query: { query: account } }).catch(() => undefined),
  ]);
  return { report, explanation, history, sessions, risk };
}

/** `GET /console/account`; with `for`, the handle of an account. */
export async function getAccountPage(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { operator } = visit;
  const query = queryIn(deps, visit);
  if (query === undefined) return "link";
  const answer = query === "" ? undefined : await answerTo(deps, operator, query);
  return accountPage({
    ...actionableOn(deps, visit, ({ account }) => (query === "" ? pathTo("consoleAccount") : account(query))),
    query,
    answer,
    nowMs: deps.clock.now(),
    reach: await shownReach(deps, operator, answer?.report.query),
  });
}
