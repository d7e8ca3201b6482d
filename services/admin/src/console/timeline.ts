import type { DecisionRecord } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { stateBadge } from "./house/badge.ts";
import { exactTime, type SubjectLinks, time } from "./shown-values.ts";

const ways: Readonly<Record<string, string>> = {
  mail: "a mail program",
  browser: "the sign-in pages",
  jwt: "the JWT endpoint",
  mail_server: "a mail server that verified the password itself",
};

function timelineItem({ search }: SubjectLinks, record: DecisionRecord): Html {
  const { outcome, text, count, protocol, client, step, client_ip: address, username, session, channel } = record;
  const through = [ways[channel] ?? channel, protocol, step, client].filter(
    (word) => word !== undefined && word !== "",
  );
  return html`<li class="${outcome}">${stateBadge(outcome)} ${time(record.time)}: ${text}${
    count > 1 && html`, ${count} times since ${exactTime(record.first_time)}`
  }<small>${address !== "" && html`from <a href="${search(address)}">${address}</a> `}through ${through.join(", ")}${
    username !== undefined && html`, as ${username}`
  }, reference <code>${session.slice(0, 13)}</code></small></li>`;
}

/** Sign-ins, the latest first. */
export function timeline(links: SubjectLinks, records: readonly DecisionRecord[]): Html {
  return html`<h2>Sign-ins</h2>${
    records.length === 0
      ? html`<p class="lead">None are recorded.</p>`
      : html`<ol class="timeline">${records.map((record) => timelineItem(links, record))}</ol>`
  }`;
}
