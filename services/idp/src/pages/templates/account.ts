import { html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { accountRow, type Choice, choicesOf } from "../parts.ts";

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
  return [
    { href: links.totp, icon: "phone", title: text("mfa.totp"), state: text(hasTotp ? "home.on" : "home.off") },
    {
      href: links.passkeys,
      icon: "key",
      title: text("passkeys.title"),
      state: passkeys === 0 ? text("home.no_passkeys") : text("home.count", { count: String(passkeys) }),
    },
    {
      href: links.recovery,
      icon: "list",
      title: text("codes.title"),
      state: text(codesState(view), { count: String(recoveryCodesLeft) }),
    },
    {
      href: links.appPasswords,
      icon: "shield",
      title: text("app_passwords.title"),
      state: text("home.count", { count: String(appPasswords) }),
    },
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
        : [
            {
              href: links.mailClients,
              icon: "letter",
              title: text("mail_clients.title"),
              state: text("home.mail_clients_hint"),
            },
          ];
    const use: readonly Choice[] = [
      { href: links.sessions, icon: "screen", title: text("sessions.title"), state: text("home.sessions_hint") },
      { href: links.signIns, icon: "clock", title: text("recent.title"), state: text("recent.hint") },
      {
        href: links.applications,
        icon: "cloud",
        title: text("applications.title"),
        state: text("home.applications_hint"),
      },
      ...mailClients,
    ];
    return html`<h1>${text("home.title")}</h1>
${signals !== undefined && html`<div data-signals="${signals}" hidden></div>`}
${accountRow(text("common.signed_in_as", { account }), account)}
${
  view.suspiciousSignIns > 0 &&
  choicesOf([
    {
      href: links.suspiciousSignIns,
      icon: "shield",
      title: text("review.title"),
      state: text("home.review_hint", { count: String(view.suspiciousSignIns) }),
    },
  ])
}
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
