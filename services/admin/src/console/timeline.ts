import type { DecisionRecord } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { stateBadge } from "./house/badge.ts";
import { placeText } from "./place-text.ts";
import { exactTime, type SubjectLinks, time } from "./shown-values.ts";

const ways: Readonly<Record<string, string>> = {
  mail: "a mail program",
  browser: "the sign-in pages",
  jwt: "the JWT endpoint",
  mail_server: "a mail server that verified the password itself",
};

function timelineItem({ search }: SubjectLinks, record: DecisionRecord, id: string | undefined): Html {
  const { outcome, text, count, protocol, client, step, client_ip: address, username, session, channel } = record;
  const through = [ways[channel] ?? channel, protocol, step, client].filter(
    (word) => word !== undefined && word !== "",
  );
  const place = placeText(record.place);
  return html`<li${id !== undefined && html` id="${id}"`} class="${outcome}">${stateBadge(outcome)} ${time(record.time)}: ${text}${
    count > 1 && html`, ${count} times since ${exactTime(record.first_time)}`
  }<small>${address !== "" && html`from <a href="${search(address)}">${address}</a>${place !== "" && html`, ${place},`} `}through ${through.join(", ")}${
    username !== undefined && html`, as ${username}`
  }, reference <code>${session.slice(0, 13)}</code></small></li>`;
}

/** Sign-ins, the latest first. @param idOf id of an item that something links to */
export function timeline(
  links: SubjectLinks,
  records: readonly DecisionRecord[],
  idOf: (index: number) => string | undefined = () => undefined,
): Html {
  return html`<h2>Latest sign-ins</h2>${
    records.length === 0
      ? html`<p class="lead">None are recorded.</p>`
      : html`<ol class="timeline">${records.map((record, index) => timelineItem(links, record, idOf(index)))}</ol>`
  }`;
}
