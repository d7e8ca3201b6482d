import { type BanRecord, type DecisionRecord, type Explanation } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../../texts/texts.ts";
import {
  type Actionable,
  actionList,
  actNotice,
  createOffered,
  missingActions,
  moreActions,
  type Offered,
  type ShownReach,
} from "../action-forms.ts";
import type { ConsolePage } from "../console-document.ts";
import { pairs } from "../house/pairs.ts";
import { sendersPart } from "../senders-part.ts";
import { networkLink, searchLinks, time, untaggedNote } from "../shown-values.ts";
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
}

function banPart(view: SearchView, ban: ShownBan, offered: Offered): Html {
  const { network, rule, start, end, failures, others } = ban;
  return html`<h3>${networkLink(view.links, network)}</h3>${pairs([
    [
      t("col.rule"),
      failures === undefined ? rule : t("search.rule", { rule, failures: t("bans.failures", { count: failures }) }),
    ],
    [t("col.start"), time(start)],
    [t("col.end"), time(end)],
  ])}${others.length > 0 && html`<p>${t("search.others")}</p>${searchLinks(view.links, others)}`}${actionList(
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
  return html`<h2>${t("search.account", { name })}</h2><p><a class="button quiet narrow" href="${view.links.account(name)}">${t("search.to_account")}</a></p>${
    account === undefined && html`<p class="lead">${t("search.unconfirmed")}</p>`
  }${guessing.length > 0 && html`<p>${t("search.guessed")}</p>${searchLinks(view.links, guessing)}`}${moreActions(
    actionList(view, "account", name, offered),
  )}${missingActions(view)}`;
}

function placePart({ links }: SearchView, { kind, query }: Explanation): Html | false {
  if (kind !== "address" && kind !== "network") return false;
  return html`<p>${t("search.to_network", { network: networkLink(links, query.trim()) })}</p>`;
}

function answerPart(view: SearchView, answer: SearchAnswer): Html {
  const { explanation, records, bans } = answer;
  const { other_accounts: others } = explanation;
  const offered = createOffered();
  return html`${answer.program === undefined ? explanation.kind === "account" && untaggedNote(view.query, explanation.query) : programNote(answer.program, records, view.links)}${verdictPart(view, explanation, { offered, others: () => undefined })}${causesPart(view, explanation, offered)}${sendersPart(view.links, explanation)}${placePart(view, explanation)}${
    bans.length > 0 && html`<h2>${t("col.bans")}</h2>${bans.map((ban) => banPart(view, ban, offered))}`
  }${others.length > 0 && bans.length === 0 && html`<h2>${t("search.accounts_here")}</h2>${searchLinks(view.links, others)}`}${accountPart(
    view,
    answer,
    offered,
  )}${timeline(view.links, records)}`;
}

/** What can be searched for, and what was. */
function firstPart({ operator: { searches = [] }, links }: SearchView): Html {
  return html`<p class="lead">${t("search.about")}</p>${
    searches.length > 0 && html`<h2>${t("search.last")}</h2>${searchLinks(links, searches)}`
  }`;
}

/** One box, then the verdict, what can be done, and the sign-ins. */
export function searchPage(view: SearchView): ConsolePage {
  const { answer } = view;
  const title = t("page.search");
  return {
    title,
    id: "search",
    query: view.query,
    body: html`${actNotice(view)}<h1>${title}</h1>${answer === undefined ? firstPart(view) : answerPart(view, answer)}`,
  };
}
