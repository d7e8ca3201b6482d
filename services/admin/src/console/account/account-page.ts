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
import { doneNotice, time } from "../shown-values.ts";
import { accountSignIns } from "../sign-ins/sign-ins-part.ts";
import { suspiciousPart } from "../suspicious-part.ts";
import { causesPart, verdictPart } from "../verdict-part.ts";
import { backendsPart } from "./account-backends.ts";
import { appPasswordsPart, factorsPart } from "./account-credentials.ts";
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

function box({ query, operator: { csrfToken } }: AccountView): Html {
  return html`<form method="post" action="${pathTo("consoleFindAccount")}" class="search" role="search"><input type="hidden" name="csrf_token" value="${csrfToken}"><div class="field"><label for="query">Account or alias</label><input type="text" id="query" name="query" value="${query}" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">Show</button></form>`;
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
};

function notificationsPart({ notifications, sends_notifications: isOn }: AccountReport): Html {
  return html`<h2>User notifications</h2>${
    isOn === false &&
    html`<p class="lead">This site does not notify users of sign-ins and changes: identity.notices.enabled is off.</p>`
  }${
    notifications.length === 0
      ? isOn !== false && html`<p class="lead">None was sent in the last 30 days.</p>`
      : html`<ul class="counted">${notifications.map(
          ({ event, channel, outcome, time: sent }) =>
            html`<li><span class="name">${events[event] ?? event}</span> <span>${outcome} by ${channel}, ${time(sent)}</span></li>`,
        )}</ul>`
  }`;
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

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

/** The sessions that suspending the account and ending its sessions end. */
function countsOf(sessions: OidcSessionList | undefined): string | undefined {
  if (sessions === undefined) return undefined;
  const { browser_sessions: browsers = [], sessions: tokens } = sessions;
  return `${counted(browsers.length, "browser session")}, ${counted(tokens.length, "session")} at applications`;
}

function answerPart(view: AccountView, answer: AccountAnswer): Html {
  const { report, explanation, history, sessions, risk } = answer;
  const { links, nowMs } = view;
  const { account } = report;
  const name = account ?? view.query;
  const offered = createOffered();
  const causes = causesPart(view, explanation, offered);
  const isSuspended = explanation.causes?.some(({ kind }) => kind === "suspension") === true;
  const general = (["flush", "unlock", "end-sessions", "suspend", "invite"] as const).filter(
    (id) => !offered.has(id, name) && !(id === "suspend" && isSuspended),
  );
  return html`<h2>${name}${isSuspended && html` <span class="badge">Suspended</span>`}</h2>${verdictPart(explanation)}${causes}${
    account === undefined && html`<p class="lead">No backend that answered has this account.</p>`
  }${missing(answer)}${actionsOf(view, general, { target: name, ends: countsOf(sessions) })}${missingActions(view)}${risk !== undefined && suspiciousPart(view.links, risk)}${factorsPart(view, name, report)}${appPasswordsPart(view, name, report)}${
    sessions !== undefined && sessionsPart(view, name, sessions)
  }${notificationsPart(report)}${backendsPart(report)}${accountSignIns({ links, history, bans: explanation.bans, nowMs }, report.changes ?? [])}<p><a href="${view.links.search(
    name,
  )}">Search for this account</a></p>`;
}

/** One account: how it signs in, where it is signed in, and what can be removed. */
export function accountPage(view: AccountView): ConsolePage {
  const { answer, done } = view;
  return {
    title: "Account",
    body: html`${doneNotice(done)}<h1>Account</h1>${box(view)}${answer !== undefined && answerPart(view, answer)}`,
  };
}
