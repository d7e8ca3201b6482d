import {
  type BanRecord,
  type ConsoleActionId,
  type DecisionRecord,
  type Explanation,
  pathTo,
} from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type Actionable, actionList } from "./action-forms.ts";
import type { ConsolePage } from "./console-document.ts";
import { doneNotice, searchFor, searchLinks, time } from "./shown-values.ts";

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
  readonly query: string;
  /** Undefined before the first search. */
  readonly answer: SearchAnswer | undefined;
  /** The action that was just carried out. */
  readonly done: ConsoleActionId | undefined;
}

function box(query: string): Html {
  return html`<form method="get" action="${pathTo("consoleSearch")}" class="search" role="search"><div class="field"><label for="query">Account, alias, address, network or reference</label><input type="text" id="query" name="query" value="${query}" maxlength="1024" autocomplete="off" autocapitalize="none" spellcheck="false" required></div><button type="submit">Search</button></form>`;
}

function verdict({ state, verdict: sentence, incomplete, delay }: Explanation): Html {
  return html`<div class="verdict ${state}" role="status">${sentence}${
    delay !== undefined && html`<p>Correct passwords succeed, after a delay, until ${time(delay.until)}.</p>`
  }${incomplete.map((missing) => html`<p>Incomplete: ${missing}.</p>`)}</div>`;
}

function banPart(view: SearchView, ban: ShownBan): Html {
  const { network, rule, start, end, failures, others } = ban;
  const facts: readonly (readonly [string, Html])[] = [
    ["Rule", html`${rule}${failures !== undefined && html`, after ${failures} failures`}`],
    ["Start", time(start)],
    ["End", time(end)],
  ];
  return html`<h3>${network}</h3><dl class="pairs">${facts.map(
    ([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`,
  )}</dl>${others.length > 0 && html`<p>These accounts signed in from this network too:</p>${searchLinks(others)}`}${actionList(
    view,
    "network",
    network,
  )}`;
}

const ways: Readonly<Record<string, string>> = {
  mail: "a mail program",
  browser: "the sign-in pages",
  jwt: "the JWT endpoint",
  mail_server: "a mail server that verified the password itself",
};

function timelineItem(record: DecisionRecord): Html {
  const { outcome, text, count, protocol, client, step, client_ip: address, username, session, channel } = record;
  const through = [ways[channel] ?? channel, protocol, step, client].filter(
    (word) => word !== undefined && word !== "",
  );
  return html`<li class="${outcome}">${time(record.time)} <b>${outcome}</b>: ${text}${
    count > 1 && html`, ${count} times since ${time(record.first_time)}`
  }<small>${address !== "" && html`from <a href="${searchFor(address)}">${address}</a> `}through ${through.join(", ")}${
    username !== undefined && html`, as ${username}`
  }, reference <code>${session.slice(0, 13)}</code></small></li>`;
}

function timeline(records: readonly DecisionRecord[]): Html {
  return html`<h2>Sign-ins</h2>${
    records.length === 0
      ? html`<p class="lead">None are recorded.</p>`
      : html`<ol class="timeline">${records.map(timelineItem)}</ol>`
  }`;
}

function accountPart(view: SearchView, { explanation }: SearchAnswer): Html | undefined {
  const { kind, query, account, guessing_addresses: guessing } = explanation;
  const name = account ?? (kind === "account" ? query.trim() : undefined);
  if (name === undefined) return undefined;
  return html`<h2>Account ${name}</h2>${
    account === undefined && html`<p class="lead">No backend and no record confirms that this account exists.</p>`
  }${guessing.length > 0 && html`<p>Wrong passwords were sent from:</p>${searchLinks(guessing)}`}${actionList(
    view,
    "account",
    name,
  )}`;
}

function answerPart(view: SearchView, answer: SearchAnswer): Html {
  const { explanation, records, bans } = answer;
  const { other_accounts: others } = explanation;
  return html`${verdict(explanation)}${
    bans.length > 0 && html`<h2>Bans</h2>${bans.map((ban) => banPart(view, ban))}`
  }${others.length > 0 && bans.length === 0 && html`<h2>Accounts that signed in from here</h2>${searchLinks(others)}`}${accountPart(
    view,
    answer,
  )}${timeline(records)}`;
}

/** One box, then the verdict, what can be done, and the sign-ins. */
export function searchPage(view: SearchView): ConsolePage {
  const { query, answer, done } = view;
  return {
    title: "Search",
    body: html`${doneNotice(done)}<h1>Search</h1>${box(query)}${answer !== undefined && answerPart(view, answer)}`,
  };
}
