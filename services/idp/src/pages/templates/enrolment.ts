import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Page } from "../look.ts";
import { alertOf, codeField, dangerLink, qrCode, sampleForm, signOf, titleAfter } from "../parts.ts";
import { type Texts, unhyphenated } from "../texts.ts";

export interface BackView {
  /** Where the user came from. */
  readonly back: string;
  /** The sign-in demands this factor: link that cancels it. */
  readonly cancel: string | undefined;
}

export const sampleBack: BackView = { back: "#back", cancel: undefined };

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
  /** In groups, for typing. */
  readonly secret: string;
  readonly problem: string | undefined;
  /** An app is already set up, and this page replaces or removes it. */
  readonly remove: string | undefined;
}

export const totpEnrolmentPage: Page<TotpEnrolmentView> = {
  name: "totp_register",
  title: titleAfter("enrol.totp_title"),
  body: (view, { text }) => {
    const field = codeField({
      name: "code",
      label: text("totp.code"),
      invalid: view.problem !== undefined,
      kind: "digits",
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
${view.remove !== undefined && dangerLink(view.remove, text("enrol.totp_remove"))}
${wayBack(view, text)}`;
  },
  sample: {
    ...sampleForm(pathTo("totpRegistrationPage")),
    url: "otpauth://totp/Example%20Mail:alice%40example.test?secret=JBSWY3DPEHPK3PXP&issuer=Example%20Mail",
    secret: "JBSW Y3DP EHPK 3PXP",
    problem: undefined,
    remove: pathTo("totpRemovalPage"),
    ...sampleBack,
  },
};

export interface RecoveryView extends FormView, BackView {
  readonly left: number;
  /** Codes replace another factor and are useless without one. */
  readonly canMake: boolean;
  readonly remake: boolean;
}

/** Offers codes to a user with a factor and no codes. */
const isOffered = ({ canMake, left }: RecoveryView): boolean => canMake && left === 0;

export const recoveryEnrolmentPage: Page<RecoveryView> = {
  name: "recovery_register",
  title: (view, { text }) => text(isOffered(view) ? "codes.offer_title" : "codes.title"),
  body: (view, { text }) =>
    isOffered(view)
      ? html`${signOf("list")}<h1>${text("codes.offer_title")}</h1>
${demanded(view, text)}
<p class="lead">${text("codes.offer_text")}</p>
${formOf(view, html`<button type="submit">${text("codes.offer_make")}</button>`)}
${view.cancel === undefined ? html`<a class="button quiet" href="${view.back}">${text("codes.offer_skip")}</a>` : wayBack(view, text)}`
      : html`<h1>${text("codes.title")}</h1>
${demanded(view, text)}
<p class="lead">${text("codes.intro")}</p>
<p>${text("home.left", { count: String(view.left) })}</p>
${view.canMake ? view.remake && html`<div class="note">${text("codes.replace")}</div>` : html`<div class="note">${text("codes.need_factor")}</div>`}
${view.canMake && formOf(view, html`<button type="submit">${text("codes.make")}</button>`)}
${wayBack(view, text)}`,
  sample: {
    ...sampleForm(pathTo("draftRecoveryCodes")),
    left: 3,
    canMake: true,
    remake: true,
    ...sampleBack,
  },
};

export interface RecoveryCodesView extends FormView, BackView {
  readonly codes: readonly string[];
  readonly account: string;
  /** Identifies these codes, so that another tab's are not saved instead. */
  readonly set: string;
}

export const recoveryCodesPage: Page<RecoveryCodesView> = {
  name: "recovery_codes",
  scripts: ["page"],
  title: (_view, { text }) => text("codes.new_title"),
  body: (view, { text, brand }) => html`<h1>${text("codes.new_title")}</h1>
<p class="lead">${text("codes.new_intro")}</p>
<p class="codes-of">${brand.name}<span>${view.account}</span></p>
<ul class="codes">${view.codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<div class="tools" data-codes="${brand.name}, ${view.account}, ${unhyphenated(text("codes.title"))}" hidden><button type="button" class="quiet" data-copy="${text("codes.copied")}">${text("codes.copy")}</button><button type="button" class="quiet" data-download>${text("codes.download")}</button></div>
${formOf(
  view,
  html`<input type="hidden" name="set" value="${view.set}"><button type="submit">${text("codes.saved")}</button>`,
)}
${wayBack(view, text)}`,
  sample: {
    ...sampleForm(pathTo("saveDraftedRecoveryCodes")),
    set: "sample",
    account: "alice@example.test",
    codes: "ABCD-2345 EFGH-6789 JKMN-PQRS TUVW-XYZ2 3456-789A BCDE-FGHJ KMNP-QRST UVWX-YZ23 4567-89AB CDEF-GHJK".split(
      " ",
    ),
    ...sampleBack,
  },
};
