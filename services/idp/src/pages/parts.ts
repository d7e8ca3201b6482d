import { type FormView, formOf, type Html, html, icons } from "@postern/shared/platform/pages";
import { encode } from "uqr";
import type { Look } from "./look.ts";
import type { TextKey, Texts } from "./texts.ts";

/** Modules on a side, with its border. Beyond that, a code is drawn larger, so that cameras read it from a screen. */
const densest = 60;

/** A QR code as one path of an SVG. Black on white in the dark colour scheme too, because cameras need it. */
export function qrCode(text: string, label: string): Html {
  const { data, size } = encode(text, { ecc: "M", border: 4 });
  const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return html`<svg class="qr${size > densest && " dense"}" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>`;
}

/** The button that returns to the application without signing in; absent if no application waits. */
export function cancelForm(view: FormView | undefined, text: Texts): Html | undefined {
  if (view === undefined) return undefined;
  return formOf(view, html`<button type="submit" class="quiet">${text("login.cancel")}</button>`);
}

/** The link to the page on which users change their password; nothing if the site has none. */
export function changeLink({ text, brand }: Pick<Look, "text" | "brand">, isQuiet = false): Html | undefined {
  if (brand.passwordChange === undefined) return undefined;
  return html`<a class="button${isQuiet && " quiet"}" href="${brand.passwordChange}">${text("review.change_password")}</a>`;
}

/**
 * A form that deletes. Browsers know only GET and POST, so it posts `_method=DELETE` to the same path. `about` tells
 * screen readers which of several items is deleted.
 */
export function deleteForm(view: FormView, label: string, about?: string): Html {
  return html`<form method="post" action="${view.action}" class="inline"><input type="hidden" name="csrf_token" value="${
    view.csrfToken
  }"><input type="hidden" name="_method" value="DELETE"><button type="submit" class="danger">${label}${
    about !== undefined && html`<span class="hidden"> ${about}</span>`
  }</button></form>`;
}

/** A link to a page that confirms a removal. */
export function dangerLink(href: string, label: string, about?: string): Html {
  return html`<a class="button danger" href="${href}">${label}${
    about !== undefined && html`<span class="hidden"> ${about}</span>`
  }</a>`;
}

/** A list of the user's items, each in a frame; nothing if there are none. */
export function listOf(items: readonly Html[]): Html | undefined {
  return items.length === 0 ? undefined : html`<ul class="things">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** A link to another page, with what is to be known before following it. */
export type Choice = readonly [href: string, icon: keyof typeof icons, title: string, state: string];

/** @param isNear they follow what they belong to */
export function choicesOf(choices: readonly Choice[], isNear = true): Html {
  return html`<ul class="choices${isNear && " near"}">${choices.map(
    ([href, icon, title, state]) =>
      html`<li><a href="${href}">${icons[icon]}<span><b>${title}</b><span>${state}</span></span></a></li>`,
  )}</ul>`;
}

/** Leads to the suspicious sign-ins, if there are any. */
export function reviewChoice(href: string, count: number, text: Texts): Html | false {
  return (
    count > 0 && choicesOf([[href, "shield", text("review.title"), text("home.review_hint", { count: String(count) })]])
  );
}

/**
 * An error message, which screen readers read out when the page loads.
 * @param reference that under which the log has the failure.
 */
export function alertOf(message: string | undefined, reference?: string, text?: Texts): Html | undefined {
  if (message === undefined) return undefined;
  const problem = html`<div class="alert" role="alert" id="problem">${message}</div>`;
  return reference === undefined || text === undefined ? problem : html`${problem}${referenceOf(reference, text)}`;
}

/** A short text that one click selects as a whole. */
export function referenceOf(reference: string, text: Texts): Html {
  return html`<p class="reference">${text("common.reference")} <code>${reference}</code></p>`;
}

export interface CodeFieldOptions {
  readonly name: string;
  readonly label: string;
  readonly invalid: boolean;
  readonly kind: "digits" | "letters";
  readonly value?: string;
}

/** `one-time-code` lets phones offer a code that they received. */
const shapes = {
  digits: html` inputmode="numeric" pattern="[\\p{Nd}\\p{Pd}\\p{Cf}\\s\\u2212\\u30FC]*" maxlength="12" class="code" autocomplete="one-time-code"`,
  letters: html` autocapitalize="characters" maxlength="24" class="code long" autocomplete="off"`,
};

export function codeField({ name, label, invalid, kind, value }: CodeFieldOptions): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}"${
    shapes[kind]
  } spellcheck="false" autocorrect="off" required autofocus${
    value !== undefined && html` value="${value}"`
  }${invalid && html` aria-invalid="true" aria-describedby="problem"`}></div>`;
}

/** The wish not to be asked for the second factor again in this browser. */
export function rememberBox(isChecked: boolean, text: Texts): Html {
  return html`<label class="check"><input type="checkbox" name="remember_device" value="on"${
    isChecked && html` checked`
  }><span>${text("mfa.remember")}<small>${text("mfa.remember_hint")}</small></span></label>`;
}

export function accountRow(label: string, account: string): Html {
  const [letter = ""] = account;
  return html`<div class="account"><span class="who" aria-hidden="true">${letter.toUpperCase()}</span><span>${label}</span></div>`;
}

export type Sign = "good" | "bad" | "plain";

export function signOf(name: keyof typeof icons, sign: Sign = "plain"): Html {
  return html`<div class="sign ${sign}">${icons[name]}</div>`;
}

/** The title of a page with a form, which says first if the form was refused. */
export function titleAfter(key: TextKey) {
  return ({ problem }: { readonly problem: string | undefined }, { text }: Look): string =>
    problem === undefined ? text(key) : text("common.error_prefix", { title: text(key) });
}

/** The form of a page's sample. */
export const sampleForm = (action: string): FormView => ({ action, csrfToken: "sample" });
