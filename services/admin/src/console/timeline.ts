import type { DecisionRecord } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { reasonHtml } from "../texts/messages.ts";
import { comma, joined, t, word } from "../texts/texts.ts";
import { badge, stateBadge } from "./house/badge.ts";
import { exactTime, placeText, type SubjectLinks, time } from "./shown-values.ts";

function timelineItem({ search }: SubjectLinks, record: DecisionRecord, id: string | undefined): Html {
  const { outcome, count, protocol, client, step, client_ip: address, username, session, channel } = record;
  const place = placeText(record.place);
  const where =
    address !== "" && html`<a href="${search(address)}">${address}</a>${place !== undefined && html` (${place})`}`;
  const facts = [
    where !== false && t("sign_ins.from", { address: where }),
    t("sign_ins.through", { way: joined([word("way", channel), protocol, step, client]) }),
    username !== undefined && t("sign_ins.as", { name: username }),
    t("sign_ins.reference", { reference: html`<code>${session.slice(0, 13)}</code>` }),
  ];
  const isNew = record.is_new_country === true && html` ${badge("warn", t("sign_ins.new_country"))}`;
  return html`<li${id !== undefined && html` id="${id}"`} class="${outcome}">${stateBadge(outcome)}${isNew} ${time(record.time)}: ${reasonHtml(record)}${
    count > 1 && html`${comma}${t("sign_ins.times", { count, time: exactTime(record.first_time) })}`
  }<small>${joined(facts)}</small></li>`;
}

/** Sign-ins, the latest first. @param idOf id of an item that something links to */
export function timeline(
  links: SubjectLinks,
  records: readonly DecisionRecord[],
  idOf: (index: number) => string | undefined = () => undefined,
): Html {
  return html`<h2>${t("sign_ins.latest")}</h2>${
    records.length === 0
      ? html`<p class="lead">${t("sign_ins.none")}</p>`
      : html`<ol class="timeline">${records.map((record, index) => timelineItem(links, record, idOf(index)))}</ol>`
  }`;
}
