import { type AddressPlace, pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Deed } from "../operators/act.ts";
import type { AskingOperator } from "../operators/operator-api.ts";
import type { SubjectHandles } from "../operators/subject-handles.ts";
import { countryText, joined, t } from "../texts/texts.ts";
import { subjectOf } from "./subject.ts";

const inUtc = (iso: string): string => `${iso.slice(0, 19).replace("T", " ")} UTC`;

/** A time of the management interface. Pages show it as "3 min ago", with the exact time in the operator's zone and in UTC at hover and in print. */
export const time = (iso: string): Html => html`<time datetime="${iso}">${inUtc(iso)}</time>`;

/** Shown to the second in the operator's zone. */
export const exactTime = (iso: string): Html => html`<time class="exact" datetime="${iso}">${inUtc(iso)}</time>`;

/** A text whose names break after a dot, an at sign or an underscore where a column is narrow, and not within a word. Undefined if it is empty. */
export function breakable(text = ""): Html | undefined {
  if (text === "") return undefined;
  return html`${text.split(/(?<=[@._])/u).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`))}`;
}

/** Addresses of pages about something, which do not contain its name. */
export interface SubjectLinks {
  readonly search: (query: string) => string;
  readonly account: (account: string) => string;
  /** @param network an address, or a network in CIDR notation */
  readonly network: (network: string) => string;
  /** The page with what was entered for an action: it opens the form with these entries. */
  readonly kept: (page: string, deed: Deed) => string;
}

/** Names, each with a link to its search. */
export const searchLinks = ({ search }: SubjectLinks, names: readonly string[]): Html =>
  html`<ul class="links">${names.map((name) => html`<li><a href="${search(name)}">${name}</a></li>`)}</ul>`;

/** The links that this operator's pages contain. */
export function linksOf(handles: SubjectHandles, { account }: Pick<AskingOperator, "account">): SubjectLinks {
  const to = (path: string) => (subject: string) => `${path}?for=${handles.make(account, subject)}`;
  return {
    search: to(pathTo("consoleSearch")),
    account: to(pathTo("consoleAccount")),
    network: to(pathTo("consoleNetwork")),
    kept: (page, deed) => `${page}${page.includes("?") ? "&" : "?"}kept=${handles.make(account, JSON.stringify(deed))}`,
  };
}

/** What is shown, if it is not what was typed. */
export function untaggedNote(typed: string, shown: string): Html | undefined {
  if (typed.trim() === shown.trim()) return undefined;
  return html`<p class="note">${t(typed.includes("@") ? "house.untagged" : "house.completed", { typed, shown })}</p>`;
}

/** A network with a link to its page; one that is recorded as several networks has only a search. */
export function networkLink(links: SubjectLinks, network: string): Html {
  const subject = subjectOf(network);
  const hasPage = subject.kind === "address" || (subject.kind === "network" && !subject.isWide);
  return html`<a href="${hasPage ? links.network(network) : links.search(network)}">${network}</a>`;
}

/** A country and a network owner in words. Undefined if nothing is known. */
export function placeText({ country = "", system = 0, owner = "" }: AddressPlace = {}): Html | undefined {
  const number = system === 0 ? "" : `AS${system}`;
  const network = owner === "" ? number : `${owner} (${number})`;
  if (country === "" && network === "") return undefined;
  return joined([country !== "" && countryText(country), network]);
}
