import { type Html, html } from "@postern/shared/platform/pages";
import type { SubjectLinks } from "./shown-values.ts";
import { subjectOf } from "./subject.ts";

/** A network with a link to its page; one that is recorded as several networks has only a search. */
export function networkLink(links: SubjectLinks, network: string): Html {
  const subject = subjectOf(network);
  const hasPage = subject.kind === "address" || (subject.kind === "network" && !subject.isWide);
  return html`<a href="${hasPage ? links.network(network) : links.search(network)}">${network}</a>`;
}
