import {
  type BanRecord,
  type ConsoleActionId,
  type DecisionRecord,
  type Explanation,
  pathTo,
} from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import {
  type Actionable,
  actionList,
  createOffered,
  missingActions,
  type Offered,
  type ShownReach,
} from "../action-forms.ts";
import type { ConsolePage } from "../console-document.ts";
import { networkLink } from "../network-link.ts";
import { doneNotice, searchLinks, time } from "../shown-values.ts";
import { timeline } from "../timeline.ts";
import { causesPart, verdictPart } from "../verdict-part.ts";

/** A ban, and the accounts that signed in from its network. */
export interface ShownBan extends BanRecord {
  readonly others: readonly string[];
}

/** The answer to a search. */
export interface SearchAnswer {
  readonly explanation: Explanation;
  readonly records: readonly DecisionRecord[];
  readonly bans: readonly ShownBan[];
}

export interface SearchView extends Actionable {
  readonly reach: ShownReach;
  readonly query: string;
  /** Undefined before the first search. */
  readonly answer: SearchAnswer | undefined;
  /** The action that was just carried out. */
  readonly done: ConsoleActionId | undefined;
}

/** The search, which other pages have too. */
export function searchBox(query: string, csrfToken: string): Html {
  return html`<form method="post" action="${pathTo("consoleFind")}" class="search" role="search"><input type="hidden" name="csrf_token" value="${csrfToken}"><div class="field"><label for="query">Account, alias, address, network or reference</label><input type="text" id="query" name="query" value="${query}" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">Search</button></form>`;
}

function banPart(view: SearchView, ban: ShownBan, offered: Offered): Html {
  const { network, rule, start, end, failures, others } = ban;
  const facts: readonly (readonly [string, Html])[] = [
    ["Rule", html`${rule}${failures !== undefined && html`, after ${failures} failures`}`],
    ["Start", time(start)],
    ["End", time(end)],
  ];
  return html`<h3>${networkLink(view.links, network)}</h3><dl class="pairs">${facts.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>${others.length > 0 && html`<p>These accounts signed in from this network too:</p>${searchLinks(view.links, others)}`}${actionList(
    view,
    "network",
    network,
    offered,
  )}`;
}

function accountPart(view: SearchView, { explanation }: SearchAnswer, offered: Offered): Html | undefined {
  const { kind, query, account, guessing_addresses: guessing } = explanation;
  const name = account ?? (kind === "account" ? query.trim() : undefined);
  if (name === undefined) return undefined;
  return html`<h2>Account ${name}</h2><p><a href="${view.links.account(name)}">Second factors, app passwords, sessions and backends</a></p>${
    account === undefined && html`<p class="lead">No backend and no record confirms that this account exists.</p>`
  }${guessing.length > 0 && html`<p>Wrong passwords were sent from:</p>${searchLinks(view.links, guessing)}`}${actionList(
    view,
    "account",
    name,
    offered,
  )}${missingActions(view)}`;
}

function placePart({ links }: SearchView, { kind, query }: Explanation): Html | false {
  if (kind !== "address" && kind !== "network") return false;
  return html`<p>Rules, accounts and sign-ins over time: ${networkLink(links, query.trim())}</p>`;
}

function answerPart(view: SearchView, answer: SearchAnswer): Html {
  const { explanation, records, bans } = answer;
  const { other_accounts: others } = explanation;
  const offered = createOffered();
  return html`${verdictPart(explanation)}${causesPart(view, explanation, offered)}${placePart(view, explanation)}${
    bans.length > 0 && html`<h2>Bans</h2>${bans.map((ban) => banPart(view, ban, offered))}`
  }${others.length > 0 && bans.length === 0 && html`<h2>Accounts that signed in from here</h2>${searchLinks(view.links, others)}`}${accountPart(
    view,
    answer,
    offered,
  )}${timeline(view.links, records)}`;
}

/** One box, then the verdict, what can be done, and the sign-ins. */
export function searchPage(view: SearchView): ConsolePage {
  const { answer, done } = view;
  return {
    title: "Search",
    body: html`${doneNotice(done)}<h1>Search</h1>${searchBox(view.query, view.operator.csrfToken)}${answer !== undefined && answerPart(view, answer)}`,
  };
}
