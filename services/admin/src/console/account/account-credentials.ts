import type { AccountReport, ConsoleActionId } from "@postern/shared/contracts";
import { browserName } from "@postern/shared/domain/programs";
import { type Html, html } from "@postern/shared/platform/pages";
import { type ActedOn, type Actionable, actionsOf } from "../action-forms.ts";
import { card } from "../house/card.ts";
import { plural, time } from "../shown-values.ts";

interface Credential {
  readonly name: string;
  readonly details: Html;
  readonly action: ConsoleActionId;
  readonly item?: string;
  /** What the action deletes, with a number. */
  readonly ends?: string;
}

function list(about: Actionable, target: string, credentials: readonly Credential[]): Html {
  return html`<ul class="things">${credentials.map(({ name, details, action, item, ends }) => {
    const on: ActedOn = { target, called: name, ends, ...(item !== undefined && { item }) };
    return html`<li><b>${name}</b><span>${details}</span>${actionsOf(about, [action], on)}</li>`;
  })}</ul>`;
}

const wrong = (count: number | undefined): Html | undefined =>
  count === undefined ? undefined : html`, ${count} consecutive wrong ${count === 1 ? "code" : "codes"}`;

const moment = (word: string, iso: string | undefined): Html | undefined =>
  iso === undefined ? undefined : html`${word} ${time(iso)}`;

const dated = (created: string | undefined, used: string | undefined): Html =>
  html`${moment("Added", created)}${created !== undefined && ". "}${moment("Last used", used) ?? "Never used"}.`;

function credentialsOf({
  totp,
  recovery_codes_left: codes,
  wrong_codes: wrongCodes,
  passkeys,
}: NonNullable<AccountReport["factors"]>): readonly Credential[] {
  return [
    ...(totp
      ? [{ name: "Authenticator app", details: html`Set up${wrong(wrongCodes.totp)}.`, action: "reset-totp" } as const]
      : []),
    ...(codes > 0
      ? [
          {
            name: "Recovery codes",
            details: html`${codes} unused${wrong(wrongCodes.recovery)}.`,
            action: "reset-recovery",
            ends: plural(codes, "unused code", "unused codes"),
          } as const,
        ]
      : []),
    ...passkeys.map(({ id, name, created, last_used: used }) => ({
      name: name === "" ? "Passkey without a name" : `Passkey ${name}`,
      details: dated(created, used),
      action: "remove-passkey" as const,
      item: id,
    })),
  ];
}

export function factorsPart(about: Actionable, account: string, { factors }: AccountReport): Html {
  const credentials = factors === undefined ? [] : credentialsOf(factors);
  const none = factors === undefined ? "Unknown." : "None: the password is enough to sign in.";
  return card({
    title: "Second factors",
    count: factors && credentials.length,
    isOpen: true,
    body: credentials.length === 0 ? html`<p class="lead">${none}</p>` : list(about, account, credentials),
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
      html`<li><b>${agent === "" ? "Unknown browser" : browserName(agent)}</b><span>From ${
        address === "" ? "an unknown address" : address
      } since ${time(since)}. Last used ${time(used)}. Until ${time(until)}.</span></li>`,
  );
  const ends = plural(devices.length, "remembered device", "remembered devices");
  return card({
    title: "Remembered devices",
    count: devices.length,
    isOpen: true,
    body: html`<p class="lead">The user is not asked for the second factor there.</p><ul class="things">${items}</ul>${actionsOf(about, ["forget-devices"], { target: account, ends })}`,
  });
}

export function appPasswordsPart(
  about: Actionable,
  account: string,
  { app_passwords: passwords }: AccountReport,
): Html {
  const credentials = passwords.map(({ id, label, protocols, created, last_used: used }) => ({
    name: label,
    details: html`For ${protocols.length === 0 ? "all protocols" : protocols.join(", ")}. ${dated(created, used)}`,
    action: "remove-app-password" as const,
    item: id,
  }));
  return card({
    title: "App passwords",
    count: credentials.length,
    isOpen: credentials.length > 0,
    body: credentials.length === 0 ? html`<p class="lead">None.</p>` : list(about, account, credentials),
  });
}
