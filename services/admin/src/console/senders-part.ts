import type { Explanation, WrongPasswordSender } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../texts/texts.ts";
import { table } from "./house/table.ts";
import { breakable, type SubjectLinks, time } from "./shown-values.ts";

const programText = ({ client, protocol }: WrongPasswordSender): Html =>
  client === undefined ? t("senders.unnamed", { protocol }) : html`${client} (${protocol})`;

/** Which programs send wrong passwords. Nothing if there are none. */
export function sendersPart(
  { search, account: accountLink }: SubjectLinks,
  { wrong_passwords: senders = [] }: Pick<Explanation, "wrong_passwords">,
): Html | undefined {
  if (senders.length === 0) return undefined;
  const title = t("senders.title");
  return html`<h2>${title}</h2>${table({
    label: title,
    rows: senders,
    columns: [
      { name: t("senders.program"), cell: programText },
      {
        name: t("col.account"),
        cell: ({ account }) => html`<a href="${accountLink(account)}">${breakable(account)}</a>`,
      },
      { name: t("col.last"), cell: ({ last_time: last }) => time(last) },
      {
        name: t("col.from"),
        cell: ({ client_ip: address }) =>
          address === "" ? undefined : html`<a href="${search(address)}">${address}</a>`,
      },
    ],
  })}${senders.some(({ client, channel }) => client === undefined && channel !== "browser") && html`<p class="lead">${t("senders.hint")}</p>`}`;
}
