import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { alertOf, type Choice, choicesOf, qrCode, sampleForm } from "../parts.ts";
import type { TextKey, Texts } from "../texts.ts";
import { passwordOf, type ServersView, sampleServers, serversOf } from "./credentials.ts";
import { type BackView, sampleBack, wayBack } from "./enrolment.ts";

/** Kinds of mail clients, each of which is set up in its own way. */
export const clientKinds = ["apple", "android", "thunderbird", "outlook", "other"] as const;

export type ClientKind = (typeof clientKinds)[number];

export function isClientKind(text: string | undefined): text is ClientKind {
  return clientKinds.some((kind) => kind === text);
}

const productNames = { android: "Android", thunderbird: "Thunderbird", outlook: "Outlook" } as const;

/** Products keep their names in all languages. */
function clientName(kind: ClientKind, text: Texts): string {
  return kind === "apple" || kind === "other" ? text(`mail_clients.${kind}`) : productNames[kind];
}

const iconOf = { apple: "phone", android: "phone", thunderbird: "screen", outlook: "screen", other: "letter" } as const;

export interface MailClientsView extends BackView {
  readonly address: string;
  readonly clients: readonly { readonly kind: ClientKind; readonly href: string }[];
}

/** The user chooses a kind of mail client. */
export const mailClientsPage: Page<MailClientsView> = {
  name: "mail_clients",
  title: (_view, { text }) => text("mail_clients.title"),
  body: (view, { text }) => {
    const items = view.clients.map(
      ({ kind, href }): Choice => [href, iconOf[kind], clientName(kind, text), text(`mail_clients.${kind}_hint`)],
    );
    return html`<h1>${text("mail_clients.title")}</h1>
<p class="lead">${text("mail_clients.intro", { address: view.address })}</p>
${choicesOf(items, false)}
${wayBack(view, text)}`;
  },
  sample: {
    address: "alice@example.test",
    clients: [
      { kind: "apple", href: "#apple" },
      { kind: "android", href: "#android" },
      { kind: "thunderbird", href: "#thunderbird" },
      { kind: "outlook", href: "#outlook" },
      { kind: "other", href: "#other" },
    ],
    ...sampleBack,
  },
};

export interface MailClientView extends FormView, BackView, ServersView {
  readonly kind: ClientKind;
  readonly address: string;
  /** Clients may sign in on the site's pages instead. */
  readonly hasOauth: boolean;
  /** Whether the account can have app passwords; otherwise its own password is used. */
  readonly hasAppPasswords: boolean;
  readonly problem: string | undefined;
}

const ownSteps: Readonly<Record<ClientKind, readonly TextKey[]>> = {
  apple: ["mail_client.apple_create", "mail_client.apple_open", "mail_client.apple_install"],
  android: ["mail_client.android_create", "mail_client.android_scan", "mail_client.android_other"],
  thunderbird: ["mail_client.add"],
  outlook: ["mail_client.other_add", "mail_client.outlook_imap", "mail_client.outlook_cloud"],
  other: ["mail_client.other_add"],
};

/** Clients that create the password before they need it. */
const createsFirst: ReadonlySet<ClientKind> = new Set(["apple", "android"]);

function stepsOf({ kind, hasOauth, hasAppPasswords }: MailClientView): readonly TextKey[] {
  if (!hasAppPasswords) {
    return [...(createsFirst.has(kind) ? ownSteps.other : ownSteps[kind]), "mail_client.own_password"];
  }
  if (createsFirst.has(kind)) return ownSteps[kind];
  // Outlook has no OAuth 2.0 for the servers of other providers.
  const oauth: readonly TextKey[] = hasOauth && kind !== "outlook" ? ["mail_client.oauth"] : [];
  return [...ownSteps[kind], ...oauth, "mail_client.password"];
}

function passwordForm(view: MailClientView, text: Texts): Html {
  const submit = text(view.kind === "apple" ? "mail_client.make_profile" : "app_passwords.make");
  return formOf(
    view,
    html`<div class="field"><label for="label">${text("app_passwords.label")}</label><input type="text" id="label" name="label" maxlength="64" required autocomplete="off" value="${
      view.kind === "apple" || view.kind === "other" ? "" : productNames[view.kind]
    }"></div><button type="submit">${submit}</button>`,
  );
}

function titleOf({ kind }: MailClientView, text: Texts): string {
  return kind === "other" ? text("mail_clients.title") : text("mail_client.title", { client: clientName(kind, text) });
}

/** How to set up one kind of client. */
export const mailClientPage: Page<MailClientView> = {
  name: "mail_client",
  title: (view, { text }) => titleOf(view, text),
  body: (view, { text, brand }: Look) => {
    const client = clientName(view.kind, text);
    const values = { client, address: view.address, brand: brand.name };
    return html`<h1>${titleOf(view, text)}</h1>
${alertOf(view.problem)}
<ol class="steps">${stepsOf(view).map((key) => html`<li>${text(key, values)}</li>`)}</ol>
${view.hasAppPasswords && passwordForm(view, text)}
${serversOf(view, text)}
${wayBack(view, text)}`;
  },
  sample: {
    kind: "thunderbird",
    ...sampleForm("#create"),
    address: "alice@example.test",
    hasOauth: true,
    hasAppPasswords: true,
    problem: undefined,
    userName: "alice@example.test",
    servers: sampleServers,
    ...sampleBack,
  },
};

export interface MailClientReadyView extends BackView, ServersView {
  readonly kind: ClientKind;
  readonly label: string;
  readonly password: string;
  /** The single-use link of an Apple profile, absolute. */
  readonly profile: string | undefined;
  /** The text of a QR code for Thunderbird for Android. */
  readonly code: string | undefined;
}

function profileOf(link: string, text: Texts): Html {
  return html`<p class="lead">${text("mail_client.profile_once")}</p>
<p class="wide"><a class="button" href="${link}">${text("mail_client.download")}</a></p>
<p>${text("mail_client.profile_scan")}</p>
${qrCode(link, text("mail_client.qr_label"))}
<p>${text("mail_client.apple_install")}</p>`;
}

function codeOf(code: string, text: Texts): Html {
  return html`<p>${text("mail_client.android_scan")} ${text("mail_client.qr_secret")}</p>
${qrCode(code, text("mail_client.qr_label"))}
<p>${text("mail_client.android_type")}</p>`;
}

/** The new app password, in the form that suits the client. It is shown only once. */
export const mailClientReadyPage: Page<MailClientReadyView> = {
  name: "mail_client_ready",
  scripts: ["page"],
  title: ({ profile }, { text }) =>
    text(profile === undefined ? "app_passwords.new_title" : "mail_client.profile_ready"),
  body: (view, { text }) => {
    const { profile, code, label } = view;
    if (profile !== undefined) {
      return html`<h1>${text("mail_client.profile_ready")}</h1>
${profileOf(profile, text)}
${wayBack(view, text)}`;
    }
    return html`<h1>${text("app_passwords.new_title")}</h1>
<p class="lead">${text("app_passwords.new_intro", { label })}</p>
${code !== undefined && codeOf(code, text)}
${passwordOf(view, text)}
${serversOf({ servers: view.servers, isOpen: true }, text)}
${wayBack(view, text)}`;
  },
  sample: {
    kind: "android",
    label: "Android",
    password: "app-abcdef-ghijkm-npqrst-uvwxyz-234567",
    profile: undefined,
    code: '[1,[1,1],[0,"mail.example.test",993,3,1,"alice@example.test","","app-abcdef-ghijkm-npqrst-uvwxyz-234567"],[[[0,"mail.example.test",465,3,1,"alice@example.test","app-abcdef-ghijkm-npqrst-uvwxyz-234567"],["alice@example.test","Alice Example"]]]]',
    userName: "alice@example.test",
    servers: sampleServers,
    ...sampleBack,
  },
};
