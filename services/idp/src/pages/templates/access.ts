import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { moment } from "../moments.ts";
import { alertOf, dangerLink, deleteForm, listOf, sampleForm } from "../parts.ts";
import { passwordOf, type ServersView, sampleServers, serversOf } from "./credentials.ts";
import { type BackView, sampleBack, wayBack } from "./enrolment.ts";

export interface AppPasswordsView extends FormView, BackView {
  readonly appPasswords: readonly {
    readonly label: string;
    readonly createdMs: number;
    readonly lastUsedMs: number | undefined;
    /** Target of a form that revokes it without a question, for templates of sites. */
    readonly revoke: string;
    /** The page that asks first. */
    readonly remove: string;
  }[];
  readonly problem: string | undefined;
}

export const appPasswordsPage: Page<AppPasswordsView> = {
  name: "app_passwords",
  scripts: ["page"],
  title: (_view, { text }) => text("app_passwords.title"),
  body: (view, look) => {
    const { text } = look;
    const items = view.appPasswords.map(
      ({ label, createdMs, lastUsedMs, remove }) => html`<b>${label}</b>
<span>${text("app_passwords.made")} ${moment(createdMs, look)}</span>
<span>${lastUsedMs === undefined ? text("app_passwords.unused") : html`${text("list.last_used")} ${moment(lastUsedMs, look)}`}</span>
${dangerLink(remove, text("app_passwords.revoke"), label)}`,
    );
    return html`<h1>${text("app_passwords.title")}</h1>
<p class="lead">${text("app_passwords.intro")}</p>
${alertOf(view.problem)}
${listOf(items)}
${formOf(
  view,
  html`<div class="field"><label for="label">${text("app_passwords.label")}</label><input type="text" id="label" name="label" maxlength="64" required autocomplete="off"></div><button type="submit">${text(
    "app_passwords.make",
  )}</button>`,
)}
${wayBack(view, text)}`;
  },
  sample: {
    ...sampleForm(pathTo("appPasswordsPage")),
    appPasswords: [
      {
        label: "Thunderbird at home",
        createdMs: 1_790_000_000_000,
        lastUsedMs: 1_795_000_000_000,
        revoke: "#revoke",
        remove: "#remove",
      },
      { label: "Phone", createdMs: 1_791_000_000_000, lastUsedMs: undefined, revoke: "#revoke-2", remove: "#remove-2" },
    ],
    problem: undefined,
    ...sampleBack,
  },
};

export interface NewAppPasswordView extends BackView, Pick<ServersView, "servers"> {
  readonly label: string;
  readonly password: string;
  /** The name to sign in with. */
  readonly account: string;
}

export const newAppPasswordPage: Page<NewAppPasswordView> = {
  name: "app_password",
  scripts: ["page"],
  title: (_view, { text }) => text("app_passwords.new_title"),
  body: (view, { text }) => html`<h1>${text("app_passwords.new_title")}</h1>
<p class="lead">${text("app_passwords.new_intro", { label: view.label })}</p>
${passwordOf({ userName: view.account, password: view.password }, text)}
${view.servers.length > 0 && serversOf({ servers: view.servers, isOpen: true }, text)}
${wayBack(view, text)}`,
  sample: {
    label: "Thunderbird at home",
    password: "app-abcdef-ghijkm-npqrst-uvwxyz-234567",
    account: "alice@example.test",
    servers: sampleServers,
    ...sampleBack,
  },
};

export interface SessionsView extends FormView, BackView {
  readonly sessions: readonly {
    /** Browser and system, as far as they are known. */
    readonly device: string;
    readonly clientIp: string;
    readonly signedInMs: number;
    readonly lastSeenMs: number;
    readonly isThis: boolean;
    readonly end: string;
  }[];
  /** Mail clients that are signed in by token. */
  readonly mail: readonly {
    readonly name: string;
    readonly signedInMs: number;
    readonly lastUsedMs: number;
    readonly end: string;
  }[];
  /** Browsers on which the user is not asked for the second factor. */
  readonly remembered: readonly {
    readonly device: string;
    readonly clientIp: string;
    readonly sinceMs: number;
    readonly usedMs: number;
    readonly endsMs: number;
    readonly isThis: boolean;
    readonly forget: string;
  }[];
  readonly forgetAll: string;
}

function rememberedPart({ remembered, forgetAll, csrfToken }: SessionsView, look: Look): Html | undefined {
  const { text } = look;
  if (remembered.length === 0) return undefined;
  const items = remembered.map(
    ({ device, clientIp, sinceMs, usedMs, endsMs, isThis, forget }) => html`<b>${device}</b>
${isThis && html`<span class="this">${text("sessions.this")}</span>`}
<span>${text("sessions.from")} <bdi>${clientIp}</bdi></span>
<span>${text("devices.since")} ${moment(sinceMs, look)}</span>
<span>${text("list.last_used")} ${moment(usedMs, look)}</span>
<span>${text("devices.until")} ${moment(endsMs, look)}</span>
${deleteForm({ action: forget, csrfToken }, text("passkeys.remove"), device)}`,
  );
  return html`<h2>${text("devices.title")}</h2>
<p class="lead">${text("devices.intro")}</p>
${listOf(items)}
${remembered.length > 1 && deleteForm({ action: forgetAll, csrfToken }, text("devices.forget_all"))}`;
}

export const sessionsPage: Page<SessionsView> = {
  name: "sessions",
  scripts: ["page"],
  title: (_view, { text }) => text("sessions.title"),
  body: (view, look) => {
    const { text } = look;
    const { csrfToken, action } = view;
    const items = view.sessions.map(
      ({ device, clientIp, signedInMs, lastSeenMs, isThis, end }) => html`<b>${device}</b>
${isThis && html`<span class="this">${text("sessions.this")}</span>`}
<span>${text("sessions.from")} <bdi>${clientIp}</bdi></span>
<span>${text("sessions.since")} ${moment(signedInMs, look)}</span>
<span>${text("list.last_used")} ${moment(lastSeenMs, look)}</span>
${!isThis && deleteForm({ action: end, csrfToken }, text("sessions.end"), device)}`,
    );
    const mail = view.mail.map(
      ({ name, signedInMs, lastUsedMs, end }) => html`<b><bdi>${name}</bdi></b>
<span>${text("sessions.since")} ${moment(signedInMs, look)}</span>
<span>${text("list.last_used")} ${moment(lastUsedMs, look)}</span>
${deleteForm({ action: end, csrfToken }, text("sessions.end"), name)}`,
    );
    return html`<h1>${text("sessions.title")}</h1>
<p class="lead">${text("sessions.intro")}</p>
${listOf(items)}
${mail.length > 0 && html`<h2>${text("sessions.mail")}</h2>${listOf(mail)}`}
${(view.sessions.length > 1 || mail.length > 1) && deleteForm({ action, csrfToken }, text(mail.length > 0 ? "sessions.end_all_others" : "sessions.end_others"))}
${rememberedPart(view, look)}
${wayBack(view, text)}`;
  },
  sample: {
    ...sampleForm(pathTo("sessionsPage")),
    sessions: [
      {
        device: "Firefox, Linux",
        clientIp: "192.0.2.7",
        signedInMs: 1_795_000_000_000,
        lastSeenMs: 1_795_000_600_000,
        isThis: true,
        end: "#end",
      },
      {
        device: "Safari, iPhone",
        clientIp: "2001:db8::7",
        signedInMs: 1_794_000_000_000,
        lastSeenMs: 1_794_900_000_000,
        isThis: false,
        end: "#end-2",
      },
    ],
    mail: [{ name: "Thunderbird", signedInMs: 1_790_000_000_000, lastUsedMs: 1_795_000_000_000, end: "#end-3" }],
    remembered: [
      {
        device: "Firefox, Linux",
        clientIp: "192.0.2.7",
        sinceMs: 1_794_000_000_000,
        usedMs: 1_795_000_000_000,
        endsMs: 1_796_592_000_000,
        isThis: true,
        forget: "#forget",
      },
      {
        device: "Safari, iPhone",
        clientIp: "2001:db8::7",
        sinceMs: 1_794_000_000_000,
        usedMs: 1_794_900_000_000,
        endsMs: 1_796_592_000_000,
        isThis: false,
        forget: "#forget-2",
      },
    ],
    forgetAll: "#forget-all",
    ...sampleBack,
  },
};

export interface ApplicationsView extends BackView {
  /** Applications in which a link starts a sign-in. */
  readonly startable: readonly { readonly name: string; readonly address: string }[];
  readonly csrfToken: string;
  readonly applications: readonly { readonly name: string; readonly disconnect: string }[];
}

export const applicationsPage: Page<ApplicationsView> = {
  name: "applications",
  title: (_view, { text }) => text("applications.title"),
  body: (view, { text }) => html`<h1>${text("applications.title")}</h1>
${
  view.startable.length > 0 &&
  html`<h2>${text("applications.yours")}</h2>${listOf(
    view.startable.map(({ name, address }) => html`<b><a href="${address}" rel="noopener"><bdi>${name}</bdi></a></b>`),
  )}<h2>${text("applications.access")}</h2>`
}
<p class="lead">${text("applications.intro")}</p>
${view.applications.length === 0 && html`<p>${text("applications.none")}</p>`}
${listOf(
  view.applications.map(
    ({ name, disconnect }) =>
      html`<b>${name}</b>${deleteForm({ action: disconnect, csrfToken: view.csrfToken }, text("applications.end"), name)}`,
  ),
)}
${wayBack(view, text)}`,
  sample: {
    csrfToken: "sample",
    startable: [
      { name: "Example Webmail", address: "https://webmail.example.test/login?iss=https%3A%2F%2Fid.example.test" },
      { name: "Example Wiki", address: "https://wiki.example.test/login?iss=https%3A%2F%2Fid.example.test" },
    ],
    applications: [
      { name: "Example Webmail", disconnect: "#end" },
      { name: "Example Calendar", disconnect: "#end-2" },
    ],
    ...sampleBack,
  },
};
