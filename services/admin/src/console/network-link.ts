import { type Html, html } from "@postern/shared/platform/pages";
import type { SubjectLinks } from "./shown-values.ts";
import { subjectOf } from "./subject.ts";

/** Address of a network's page; one that is recorded as several networks has only a search. */
export function networkHref(links: SubjectLinks, network: string): string {
  const subject = subjectOf(network);
  const hasPage = subject.kind === "address" || (subject.kind === "network" && !subject.isWide);
  return hasPage ? links.network(network) : links.search(network);
}

export const networkLink = (links: SubjectLinks, network: string): Html =>
  html`<a href="${networkHref(links, network)}">${network}</a>`;
