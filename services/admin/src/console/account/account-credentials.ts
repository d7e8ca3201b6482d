import type { AccountReport, ConsoleActionId } from "@postern/shared/contracts";
import { browserName } from "@postern/shared/domain/programs";
import { type Html, html } from "@postern/shared/platform/pages";
import { comma, t } from "../../texts/texts.ts";
import { type ActedOn, type Actionable, actionsOf } from "../action-forms.ts";
import { card } from "../house/card.ts";
import { time } from "../shown-values.ts";
import { lostPhonePart } from "./lost-phone-part.ts";

interface Credential {
  readonly name: Html;
  readonly details: Html;
  readonly action: ConsoleActionId;
  readonly item?: string;
  /** What the action deletes, with a number. */
  readonly ends?: Html;
}

function list(about: Actionable, target: string, credentials: readonly Credential[]): Html {
  return html`<ul class="things">${credentials.map(({ name, details, action, item, ends }) => {
    const on: ActedOn = { target, called: name, ends, ...(item !== undefined && { item }) };
    return html`<li><b>${name}</b><span>${details}</span>${actionsOf(about, [action], on)}</li>`;
  })}</ul>`;
}

/** The browser with its version, and the system. */
export const browserText = (agent: string): Html | string => (agent === "" ? t("account.browser") : browserName(agent));

export const addressName = (address: string): Html | string => (address === "" ? t("account.address") : address);

const wrong = (count: number | undefined): Html | undefined =>
  count === undefined ? undefined : html`${comma}${t("counted.codes", { count })}`;

const dated = (created: string | undefined, used: string | undefined): Html =>
  html`${created !== undefined && html`${t("account.added", { time: time(created) })} `}${
    used === undefined ? t("account.never_used") : t("account.last_used", { time: time(used) })
  }`;

function credentialsOf({
  totp,
  recovery_codes_left: codes,
  wrong_codes: wrongCodes,
  passkeys,
}: NonNullable<AccountReport["factors"]>): readonly Credential[] {
  return [
    ...(totp
      ? [
          {
            name: t("account.totp"),
            details: html`${t("account.set_up")}${wrong(wrongCodes.totp)}.`,
            action: "reset-totp",
          } as const,
        ]
      : []),
    ...(codes > 0
      ? [
          {
            name: t("account.recovery"),
            details: html`${t("account.unused", { count: codes })}${wrong(wrongCodes.recovery)}.`,
            action: "reset-recovery",
            ends: t("account.unused_codes", { count: codes }),
          } as const,
        ]
      : []),
    ...passkeys.map(({ id, name, created, last_used: used }) => ({
      name: name === "" ? t("account.passkey_unnamed") : t("account.passkey", { name }),
      details: dated(created, used),
      action: "remove-passkey" as const,
      item: id,
    })),
  ];
}

export function factorsPart(about: Actionable, account: string, report: AccountReport): Html {
  const { factors } = report;
  const credentials = factors === undefined ? [] : credentialsOf(factors);
  const none = factors === undefined ? t("account.factors_unknown") : t("account.no_factors");
  return card({
    title: t("account.factors"),
    count: factors && credentials.length,
    isOpen: true,
    body:
      credentials.length === 0
        ? html`<p class="lead">${none}</p>`
        : html`${list(about, account, credentials)}${lostPhonePart(about, account, report)}`,
  });
}

/** Nothing while the account has none. */
export function devicesPart(
  about: Actionable,
  account: string,
  { remembered_devices: devices = [] }: AccountReport,
): Html | undefined {
  if (devices.length === 0) return undefined;
  const items = devices.map(
    ({ user_agent: agent, client_ip: address, since, last_used: used, until }) =>
      html`<li><b>${browserText(agent)}</b><span>${t("account.device", { address: addressName(address), since: time(since), used: time(used), until: time(until) })}</span></li>`,
  );
  const ends = t("account.devices_count", { count: devices.length });
  return card({
    title: t("account.devices"),
    count: devices.length,
    isOpen: true,
    body: html`<p class="lead">${t("account.devices_about")}</p><ul class="things">${items}</ul>${actionsOf(about, ["forget-devices"], { target: account, ends })}`,
  });
}

export function appPasswordsPart(
  about: Actionable,
  account: string,
  { app_passwords: passwords }: AccountReport,
): Html {
  const credentials = passwords.map(({ id, label, protocols, created, last_used: used }) => ({
    name: html`${label}`,
    details: html`${protocols.length === 0 ? t("account.all_protocols") : t("account.for_protocols", { protocols: protocols.join(", ") })} ${dated(created, used)}`,
    action: "remove-app-password" as const,
    item: id,
  }));
  return card({
    title: t("account.app_passwords"),
    count: credentials.length,
    isOpen: credentials.length > 0,
    body: credentials.length === 0 ? html`<p class="lead">${t("house.none")}</p>` : list(about, account, credentials),
  });
}
