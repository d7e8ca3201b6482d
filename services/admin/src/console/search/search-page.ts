import { type BanRecord, type ConsoleActionId, type DecisionRecord, type Explanation } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import {
  type Actionable,
  actionList,
  createOffered,
  missingActions,
  moreActions,
  type Offered,
  type ShownReach,
} from "../action-forms.ts";
import type { ConsolePage } from "../console-document.ts";
import { networkLink } from "../network-link.ts";
import { doneNotice, plural, searchLinks, time, untaggedNote } from "../shown-values.ts";
import { timeline } from "../timeline.ts";
import { causesPart, verdictPart } from "../verdict-part.ts";
import { type FoundProgram, programNote } from "./program-search.ts";

/** A ban, and the accounts that signed in from its network. */
export interface ShownBan extends BanRecord {
  readonly others: readonly string[];
}

/** The answer to a search. */
export interface SearchAnswer {
  readonly explanation: Explanation;
  readonly records: readonly DecisionRecord[];
  readonly bans: readonly ShownBan[];
  /** The records are only those with this program. */
  readonly program?: FoundProgram;
}

export interface SearchView extends Actionable {
  readonly reach: ShownReach;
  readonly query: string;
  /** Undefined before the first search. */
  readonly answer: SearchAnswer | undefined;
  /** The action that was just carried out. */
  readonly done: ConsoleActionId | undefined;
}

function banPart(view: SearchView, ban: ShownBan, offered: Offered): Html {
  const { network, rule, start, end, failures, others } = ban;
  const facts: readonly (readonly [string, Html])[] = [
    ["Rule", html`${rule}${failures !== undefined && html`, after ${plural(failures, "failure", "failures")}`}`],
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
  return html`<h2>Account ${name}</h2><p><a class="button quiet narrow" href="${view.links.account(name)}">Second factors, app passwords, sessions and backends</a></p>${
    account === undefined && html`<p class="lead">No backend and no record confirms that this account exists.</p>`
  }${guessing.length > 0 && html`<p>Wrong passwords were sent from:</p>${searchLinks(view.links, guessing)}`}${moreActions(
    actionList(view, "account", name, offered),
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
  return html`${answer.program === undefined ? untaggedNote(view.query, explanation.query) : programNote(answer.program, records, view.links)}${verdictPart(view, explanation, { offered, others: () => undefined })}${causesPart(view, explanation, offered)}${placePart(view, explanation)}${
    bans.length > 0 && html`<h2>Bans</h2>${bans.map((ban) => banPart(view, ban, offered))}`
  }${others.length > 0 && bans.length === 0 && html`<h2>Accounts that signed in from here</h2>${searchLinks(view.links, others)}`}${accountPart(
    view,
    answer,
    offered,
  )}${timeline(view.links, records)}`;
}

/** What can be searched for, and what was. */
function firstPart({ operator: { searches = [] }, links }: SearchView): Html {
  return html`<p class="lead">The box above understands an account or alias, a mail address with or without “+tag”, an IP address with or without a port, a network such as 203.0.113.0/24, and the reference that a page or a log line shows. The key “/” leads to it from every page.</p>${
    searches.length > 0 && html`<h2>Your last searches</h2>${searchLinks(links, searches)}`
  }`;
}

/** One box, then the verdict, what can be done, and the sign-ins. */
export function searchPage(view: SearchView): ConsolePage {
  const { answer, done } = view;
  return {
    title: "Search",
    query: view.query,
    body: html`${doneNotice(done)}<h1>Search</h1>${answer === undefined ? firstPart(view) : answerPart(view, answer)}`,
  };
}
