import { html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { accountRow, type Choice, choicesOf, reviewChoice } from "../parts.ts";

export interface HomeView {
  readonly account: string;
  readonly hasTotp: boolean;
  readonly passkeys: number;
  readonly recoveryCodesLeft: number;
  readonly appPasswords: number;
  /** The account's backend does not store second factors. */
  readonly isBare: boolean;
  readonly links: Readonly<
    Record<"totp" | "passkeys" | "recovery" | "appPasswords" | "sessions" | "signIns" | "applications", string>
  > & {
    /** Undefined: no settings are configured for the user's mail domain. */
    readonly mailClients: string | undefined;
    readonly suspiciousSignIns: string;
  };
  /** Suspicious sign-ins that the user has neither confirmed nor rejected. */
  readonly suspiciousSignIns: number;
  readonly signOut: string;
  /** JSON for the user's password manager. */
  readonly signals: string | undefined;
}

/** The page warns when this many codes or fewer are left. */
const fewCodes = 2;

/** Without another factor, codes are useless, so their absence is not a problem. */
function codesState({ hasTotp, passkeys, recoveryCodesLeft }: HomeView) {
  if (!hasTotp && passkeys === 0) return "home.left";
  if (recoveryCodesLeft === 0) return "home.codes_none";
  return recoveryCodesLeft <= fewCodes ? "home.codes_low" : "home.left";
}

function factorEntries(view: HomeView, { text }: Look): readonly Choice[] {
  const { links, hasTotp, passkeys, recoveryCodesLeft, appPasswords } = view;
  const counted = (count: number): string => text("home.count", { count: String(count) });
  return [
    [links.totp, "phone", text("mfa.totp"), text(hasTotp ? "home.on" : "home.off")],
    [links.passkeys, "key", text("passkeys.title"), passkeys === 0 ? text("home.no_passkeys") : counted(passkeys)],
    [links.recovery, "list", text("codes.title"), text(codesState(view), { count: String(recoveryCodesLeft) })],
    [links.appPasswords, "shield", text("app_passwords.title"), counted(appPasswords)],
  ];
}

/** The start page of self-service. */
export const homePage: Page<HomeView> = {
  name: "home",
  scripts: ["passkeys"],
  title: (_view, { text }) => text("home.title"),
  body: (view, look) => {
    const { text } = look;
    const { account, links, isBare, signOut, signals } = view;
    const mailClients: readonly Choice[] =
      links.mailClients === undefined
        ? []
        : [[links.mailClients, "letter", text("mail_clients.title"), text("home.mail_clients_hint")]];
    const use: readonly Choice[] = [
      [links.sessions, "screen", text("sessions.title"), text("home.sessions_hint")],
      [links.signIns, "clock", text("recent.title"), text("recent.hint")],
      [links.applications, "cloud", text("applications.title"), text("home.applications_hint")],
      ...mailClients,
    ];
    return html`<h1>${text("home.title")}</h1>
${signals !== undefined && html`<div data-signals="${signals}" hidden></div>`}
${accountRow(text("common.signed_in_as", { account }), account)}
${reviewChoice(links.suspiciousSignIns, view.suspiciousSignIns, text)}
${!isBare && html`<h2>${text("home.factors")}</h2>${choicesOf(factorEntries(view, look))}`}
<h2>${text("home.access")}</h2>${choicesOf(use)}
<a class="button quiet" href="${signOut}">${text("home.sign_out")}</a>`;
  },
  sample: {
    account: "alice@example.test",
    hasTotp: true,
    passkeys: 2,
    recoveryCodesLeft: 8,
    appPasswords: 1,
    isBare: false,
    links: {
      totp: "#totp",
      passkeys: "#passkeys",
      recovery: "#recovery",
      appPasswords: "#app-passwords",
      sessions: "#sessions",
      signIns: "#sign-ins",
      applications: "#applications",
      mailClients: "#mail-clients",
      suspiciousSignIns: "#suspicious-sign-ins",
    },
    suspiciousSignIns: 1,
    signOut: "#sign-out",
    signals: undefined,
  },
};
