import {
  type AccountReport,
  type ConsoleActionId,
  type DecisionHistoryPage,
  type Explanation,
  type OidcSessionList,
  pathTo,
  type RiskExplanation,
} from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionsOf, createOffered, missingActions, type ShownReach } from "../action-forms.ts";
import type { ConsolePage } from "../console-document.ts";
import { badge, stateBadge } from "../house/badge.ts";
import { card } from "../house/card.ts";
import { doneNotice, plural, time, untaggedNote } from "../shown-values.ts";
import { accountSignIns } from "../sign-ins/sign-ins-part.ts";
import { suspiciousPart } from "../suspicious-part.ts";
import { causesPart, verdictPart } from "../verdict-part.ts";
import { backendsPart } from "./account-backends.ts";
import { appPasswordsPart, devicesPart, factorsPart } from "./account-credentials.ts";
import { sessionsPart } from "./account-sessions.ts";

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
  readonly done: ConsoleActionId | undefined;
  readonly nowMs: number;
}

function box({ operator: { csrfToken } }: AccountView): Html {
  return html`<form method="post" action="${pathTo("consoleFindAccount")}" class="narrow"><input type="hidden" name="csrf_token" value="${csrfToken}"><div class="field"><label for="account">Account or alias</label><input type="text" id="account" name="query" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">Show</button></form>`;
}

const events: Readonly<Record<string, string>> = {
  new_device: "Signed in on a new device",
  factor_added: "Second factor added",
  factor_removed: "Second factor removed",
  factor_renamed: "Second factor renamed",
  recovery_code_used: "Recovery code used",
  recovery_codes_made: "Recovery codes created",
  app_password_created: "App password created",
  app_password_deleted: "App password deleted",
  factor_guessed: "Second factor guessed",
  factor_locked: "Second factor locked",
  suspicious_sign_in: "Suspicious sign-in",
  account_suspended: "Account suspended",
  account_resumed: "Account resumed",
  lost_phone_code: "Lost-phone code created",
  lost_phone_code_used: "Signed in with a lost-phone code",
};

function notificationsPart({ notifications, sends_notifications: isOn }: AccountReport): Html {
  const body = html`${
    isOn === false &&
    html`<p class="lead">This site does not notify users of sign-ins and changes: identity.notices.enabled is off.</p>`
  }${
    notifications.length === 0
      ? isOn !== false && html`<p class="lead">None was sent in the last 30 days.</p>`
      : html`<ul class="counted">${notifications.map(
          ({ event, channel, outcome, time: sent }) =>
            html`<li><span class="name">${events[event] ?? event}</span> <span>${stateBadge(outcome)} by ${channel}, ${time(sent)}</span></li>`,
        )}</ul>`
  }`;
  return card({ title: "User notifications", count: notifications.length, body });
}

function missing({ report: { incomplete }, sessions, risk }: AccountAnswer): Html | undefined {
  const all = [
    ...incomplete,
    ...(sessions === undefined ? ["sessions could not be read"] : []),
    ...(risk === undefined ? ["suspicious sign-ins could not be read"] : []),
  ];
  return all.length === 0
    ? undefined
    : html`<div class="note">${all.map((text) => html`<p>Incomplete: ${text}.</p>`)}</div>`;
}

/** The sessions that suspending the account and ending its sessions end. */
function countsOf(sessions: OidcSessionList | undefined): string | undefined {
  if (sessions === undefined) return undefined;
  const { browser_sessions: browsers = [], sessions: tokens } = sessions;
  return `${plural(browsers.length, "browser session", "browser sessions")}, ${plural(tokens.length, "session", "sessions")} at applications`;
}

const isSuspended = ({ causes = [] }: Explanation): boolean => causes.some(({ kind }) => kind === "suspension");

/** What the account has, each kind with its number. */
function possessions(view: AccountView, { report, sessions }: AccountAnswer, name: string): Html {
  return html`<aside aria-label="What the account has">${factorsPart(view, name, report)}${devicesPart(view, name, report)}${appPasswordsPart(view, name, report)}${
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
      (id) => !offered.has(id, name) && !(id === "suspend" && isSuspended(explanation)),
    );
    return actionsOf(view, ids, { target: name, ends: countsOf(sessions) });
  };
  const verdict = verdictPart(view, explanation, { offered, others: general });
  return html`<div class="columns"><div>${verdict}${causesPart(view, explanation, offered)}${
    report.account === undefined && html`<p class="lead">No backend that answered has this account.</p>`
  }${missing(answer)}${missingActions(view)}${risk !== undefined && suspiciousPart(links, risk)}${accountSignIns(
    { links, history, bans: explanation.bans, nowMs },
    report.changes ?? [],
  )}<p><a href="${links.search(name)}">Bans, and everything recorded about this account</a></p></div>${possessions(view, answer, name)}</div>`;
}

/** One account: how it signs in, where it is signed in, and what can be removed. */
export function accountPage(view: AccountView): ConsolePage {
  const { answer, done } = view;
  const title = "Account";
  if (answer === undefined) return { title, body: html`${doneNotice(done)}<h1>Account</h1>${box(view)}` };
  const { report, explanation } = answer;
  return {
    title,
    query: view.query,
    body: html`${doneNotice(done)}<p class="eyebrow">Account</p><h1>${report.account ?? view.query}${
      isSuspended(explanation) && badge("bad", "Suspended")
    }</h1>${untaggedNote(view.query, report.query)}${answerPart(view, answer)}`,
  };
}
