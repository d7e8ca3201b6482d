import {
  type AccountReport,
  type BackendDescription,
  type ConsoleActionId,
  consoleRoles,
  mayAct,
  type OidcSessionList,
} from "@postern/shared/contracts";
import { browserName } from "@postern/shared/domain/programs";
import { type Html, html } from "@postern/shared/platform/pages";
import { comma, isTextKey, joined, roleWord, t, word } from "../../texts/texts.ts";
import { type ActedOn, type Actionable, actionsOf } from "../action-forms.ts";
import { badge, moodOf } from "../house/badge.ts";
import { card } from "../house/card.ts";
import { type Fact, pairs } from "../house/pairs.ts";
import { time } from "../shown-values.ts";

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
const browserText = (agent: string): Html | string => (agent === "" ? t("account.browser") : browserName(agent));

const addressName = (address: string): Html | string => (address === "" ? t("account.address") : address);

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

/** Which role has the action, if that of the operator has not. */
function roleText({ operator, helpdesk }: Actionable): Html | undefined {
  const { role } = operator;
  const higher = consoleRoles.find((one) => mayAct({ role: one }, "lost-phone", helpdesk));
  return higher === undefined || mayAct(operator, "lost-phone", helpdesk)
    ? undefined
    : html` ${t("lost_phone.role", { role: roleWord(role), higher: roleWord(higher) })}`;
}

/** Whether a user who lost the phone can get a code, and why not. Nothing if it is not known. */
function lostPhonePart(
  about: Actionable,
  target: string,
  { lost_phone: judged = "" }: Pick<AccountReport, "lost_phone">,
): Html | undefined {
  const key = `lost_phone.${judged}`;
  if (!isTextKey(key)) return undefined;
  const isPossible = judged === "possible";
  return html`<h3>${t("lost_phone.title")}</h3><p class="lead">${t(key, { admin: roleWord("admin"), account: target })}${isPossible && roleText(about)}</p>${
    isPossible && actionsOf(about, ["lost-phone"], { target })
  }`;
}

type BrowserSession = NonNullable<OidcSessionList["browser_sessions"]>[number];
type ClientSession = OidcSessionList["sessions"][number];

const factor = (isUsed: boolean): Html => (isUsed ? t("account.with_factor") : t("account.without_factor"));

function browserItem(about: Actionable, target: string, session: BrowserSession): Html {
  const { id, client_ip: address, user_agent: agent, auth_time: began, last_seen: seen } = session;
  const { client_ids: clients, mfa_completed: isUsed } = session;
  const called = t("account.called_browser", { address: addressName(address) });
  return html`<li><b>${browserText(agent)}</b><span>${t("account.browser_session", { time: time(began), address: addressName(address), factor: factor(isUsed), seen: time(seen) })}${
    clients.length > 0 && html` ${t("account.applications", { clients: clients.join(", ") })}`
  }</span>${actionsOf(about, ["end-session"], { target, item: id, called })}</li>`;
}

function clientItem(about: Actionable, target: string, session: ClientSession): Html {
  const { id, client_id: client, auth_time: began, scopes, mfa_completed: isUsed } = session;
  const called = t("account.called_application", { client });
  return html`<li><b>${client}</b><span>${t("account.client_session", { time: time(began), factor: factor(isUsed) })}${
    scopes.length > 0 && html` ${t("account.scopes", { scopes: scopes.join(" ") })}`
  }</span>${actionsOf(about, ["end-session"], { target, item: id, called })}</li>`;
}

const cardOf = (title: Html, items: readonly Html[]): Html =>
  card({
    title,
    count: items.length,
    isOpen: items.length > 0,
    body: items.length === 0 ? html`<p class="lead">${t("house.none")}</p>` : html`<ul class="things">${items}</ul>`,
  });

export function sessionsPart(
  about: Actionable,
  account: string,
  { sessions, browser_sessions: browsers = [] }: OidcSessionList,
): Html {
  return html`${cardOf(
    t("account.browser_sessions"),
    browsers.map((one) => browserItem(about, account, one)),
  )}${cardOf(
    t("account.tokens"),
    sessions.map((one) => clientItem(about, account, one)),
  )}`;
}

const factsOf = ({
  account,
  account_field: field,
  attributes,
  groups,
  stores,
}: BackendDescription): readonly Fact[] => [
  [t("col.account"), account !== undefined && (field === undefined ? account : `${account} (${field})`)],
  ...Object.entries(attributes ?? {}).map(([name, values]) => [name, values.join(", ")] as const),
  [t("account.groups"), groups && (groups.length === 0 ? t("account.no_groups") : groups.join(", "))],
  [t("account.stores"), stores.length > 0 && joined(stores.map((one) => word("stored", one)))],
];

function backendPart(backend: BackendDescription): Html {
  const { name, outcome, code } = backend;
  return html`<h3>${name} ${badge(moodOf(outcome), word("state", outcome))}</h3><p>${word("backend", outcome)}${code !== undefined && html` ${t("account.error_code", { code })}`}</p>${pairs(factsOf(backend))}`;
}

/** Shows what `postern directory test` shows; the engines leave secrets out. */
export function backendsPart({ backends, protocol }: AccountReport): Html {
  return card({
    title: t("col.backends"),
    count: backends.length,
    body: html`<p class="lead">${t("account.queried", { protocol })}</p>${
      backends.length === 0 ? html`<p>${t("account.no_engine")}</p>` : backends.map(backendPart)
    }`,
  });
}
