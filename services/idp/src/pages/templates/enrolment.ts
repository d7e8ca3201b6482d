import { type Html, html } from "../html.ts";
import type { Page } from "../look.ts";
import { alertOf, codeField, deleteForm, type FormView, formOf } from "../parts.ts";
import { qrCode } from "../qr-code.ts";
import type { Texts } from "../texts.ts";

export interface BackView {
  /** Where the user came from. */
  readonly back: string;
  /** The sign-in demands this factor: a way out that ends it. */
  readonly cancel: string | undefined;
}

export function wayBack({ back, cancel }: BackView, text: Texts): Html {
  return html`<div class="more">${
    cancel === undefined
      ? html`<a href="${back}">${text("common.back")}</a>`
      : html`<a href="${cancel}">${text("enrol.cancel")}</a>`
  }</div>`;
}

export function demanded({ cancel }: BackView, text: Texts): Html | undefined {
  return cancel === undefined ? undefined : html`<div class="note">${text("enrol.demanded")}</div>`;
}

export interface TotpEnrolmentView extends FormView, BackView {
  /** An otpauth URL. */
  readonly url: string;
  /** In groups, to be typed. */
  readonly secret: string;
  readonly problem: string | undefined;
  /** An app is set up already: it is replaced, or removed by a form to this path. */
  readonly remove: string | undefined;
}

export const totpEnrolmentPage: Page<TotpEnrolmentView> = {
  name: "totp_register",
  title: ({ problem }, { text }) =>
    problem === undefined ? text("enrol.totp_title") : text("common.error_prefix", { title: text("enrol.totp_title") }),
  body: (view, { text }) => {
    const field = codeField({
      name: "code",
      label: text("totp.code"),
      invalid: view.problem !== undefined,
      kind: "digits",
      autocomplete: "one-time-code",
    });
    return html`<h1>${text("enrol.totp_title")}</h1>
${demanded(view, text)}
${view.remove !== undefined && html`<div class="note">${text("enrol.totp_replace")}</div>`}
<p class="lead">${text("enrol.totp_scan")}</p>
${qrCode(view.url, text("enrol.totp_qr"))}
<details class="manual"><summary>${text("enrol.totp_manual")}</summary><p><code class="secret">${view.secret}</code></p></details>
<p><a href="${view.url}">${text("enrol.totp_open")}</a></p>
${alertOf(view.problem)}
${formOf(view, html`${field}<button type="submit">${text("enrol.totp_submit")}</button>`)}
${
  view.remove !== undefined && deleteForm({ action: view.remove, csrfToken: view.csrfToken }, text("enrol.totp_remove"))
}
${wayBack(view, text)}`;
  },
  sample: {
    action: "/mfa/totp/register",
    csrfToken: "sample",
    url: "otpauth://totp/Example%20Mail:alice%40example.test?secret=JBSWY3DPEHPK3PXP&issuer=Example%20Mail",
    secret: "JBSW Y3DP EHPK 3PXP",
    problem: undefined,
    remove: "/mfa/totp",
    back: "#back",
    cancel: undefined,
  },
};

export interface RecoveryView extends FormView, BackView {
  readonly left: number;
  /** Codes stand in for another factor: without one they are of no use. */
  readonly canMake: boolean;
  readonly remake: boolean;
}

export const recoveryEnrolmentPage: Page<RecoveryView> = {
  name: "recovery_register",
  title: (_view, { text }) => text("codes.title"),
  body: (view, { text }) => html`<h1>${text("codes.title")}</h1>
${demanded(view, text)}
<p class="lead">${text("codes.intro")}</p>
<p>${text("home.left", { count: String(view.left) })}</p>
${view.canMake ? view.remake && html`<div class="note">${text("codes.replace")}</div>` : html`<div class="note">${text("codes.need_factor")}</div>`}
${view.canMake && formOf(view, html`<button type="submit">${text("codes.make")}</button>`)}
${wayBack(view, text)}`,
  sample: {
    action: "/mfa/recovery/generate",
    csrfToken: "sample",
    left: 3,
    canMake: true,
    remake: true,
    back: "#back",
    cancel: undefined,
  },
};

export interface RecoveryCodesView extends FormView, BackView {
  readonly codes: readonly string[];
  /** Names these codes, so that another tab's are not saved for them. */
  readonly set: string;
}

export const recoveryCodesPage: Page<RecoveryCodesView> = {
  name: "recovery_codes",
  title: (_view, { text }) => text("codes.new_title"),
  body: (view, { text }) => html`<h1>${text("codes.new_title")}</h1>
<p class="lead">${text("codes.new_intro")}</p>
<ul class="codes">${view.codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
${formOf(
  view,
  html`<input type="hidden" name="set" value="${view.set}"><button type="submit">${text("codes.saved")}</button>`,
)}
${wayBack(view, text)}`,
  sample: {
    action: "/mfa/recovery/register/save",
    csrfToken: "sample",
    set: "sample",
    codes: [
      "ABCD-2345",
      "EFGH-6789",
      "JKMN-PQRS",
      "TUVW-XYZ2",
      "3456-789A",
      "BCDE-FGHJ",
      "KMNP-QRST",
      "UVWX-YZ23",
      "4567-89AB",
      "CDEF-GHJK",
    ],
    back: "#back",
    cancel: undefined,
  },
};
