import { pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import { type TextKey, t } from "../texts/texts.ts";
import type { ConsolePage } from "./console-document.ts";

interface Notice {
  readonly status: number;
  /** Label of the link to the sign-in. */
  readonly signIn?: TextKey;
  /** The identity provider asks for password and second factor, even if its session could do without. */
  readonly asksAgain?: true;
  /** It has a form for an invitation code. */
  readonly takesCode?: true;
}

const notices = {
  signed_out: { status: 200, signIn: "notice.sign_in" },
  no_session: { status: 403, signIn: "notice.sign_in" },
  no_role: { status: 403 },
  role: { status: 403 },
  target: { status: 403 },
  unknown: { status: 404 },
  form: { status: 403 },
  reason: { status: 400 },
  filter: { status: 400 },
  failed: { status: 400 },
  one_factor: { status: 403, signIn: "house.sign_in_again" },
  new_factor: { status: 403, signIn: "house.sign_in_again", asksAgain: true },
  unproven: { status: 403, takesCode: true },
  code: { status: 403, takesCode: true },
  unnamed: { status: 403 },
  cancelled: { status: 403, signIn: "notice.sign_in" },
  invalid: { status: 400, signIn: "notice.sign_in" },
  unavailable: { status: 503 },
  no_sessions: { status: 503 },
  link: { status: 404 },
  empty: { status: 400 },
  not_found: { status: 404 },
} as const satisfies Readonly<Record<string, Notice>>;

export type NoticeKey = keyof typeof notices;

const codeForm = (): Html =>
  html`<form method="post" action="${pathTo(
    "consoleSignInByCode",
  )}"><div class="field"><label for="code">${t("notice.code_label")}</label><input type="text" id="code" name="code" autocomplete="off" maxlength="64" required></div><button type="submit">${t("notice.sign_in")}</button></form>`;

/** A page with one sentence. `reference` is the GUID of the request, `reason` the English answer of an operation that refused an action. */
export function noticePage(
  key: NoticeKey,
  { reference, reason }: { readonly reference?: string | undefined; readonly reason?: string } = {},
): ConsolePage {
  const title = t(`notice.${key}.title`);
  const { status, signIn, asksAgain, takesCode }: Notice = notices[key];
  const toSignIn = `${pathTo("consoleSignIn")}${asksAgain === true ? "?proof=1" : ""}`;
  const link = signIn === undefined ? pathTo("consoleSearch") : toSignIn;
  const body: Html = html`<h1>${title}</h1><p class="lead">${
    reason === undefined
      ? t(`notice.${key}.text`)
      : t("notice.refused", { reason: html`<span lang="en" dir="ltr">${reason}</span>` })
  }</p>${
    reference !== undefined &&
    html`<p class="reference">${t("notice.reference", { reference: html`<code>${reference}</code>` })}</p>`
  }${takesCode === true && codeForm()}<a class="button quiet" href="${link}">${t(signIn ?? "notice.back")}</a>`;
  return { title, status, body };
}
