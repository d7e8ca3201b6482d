import { type Html, html } from "./html.ts";
import { icons } from "./icons.ts";

/** Where a form goes, and the proof that it came from us. */
export interface FormView {
  readonly action: string;
  readonly csrfToken: string;
}

export function formOf({ action, csrfToken }: FormView, fields: Html): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}">${fields}</form>`;
}

/**
 * A form that deletes: browsers know GET and POST only, so it posts `_method=DELETE` to the same path. `about` tells
 * screen readers which of several things goes.
 */
export function deleteForm(view: FormView, label: string, about?: string): Html {
  return html`<form method="post" action="${view.action}" class="inline"><input type="hidden" name="csrf_token" value="${
    view.csrfToken
  }"><input type="hidden" name="_method" value="DELETE"><button type="submit" class="danger">${label}${
    about !== undefined && html`<span class="hidden"> ${about}</span>`
  }</button></form>`;
}

/** Things that the user has, each in a frame; nothing for none. */
export function listOf(items: readonly Html[]): Html | undefined {
  return items.length === 0 ? undefined : html`<ul class="things">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** What went wrong, read out by screen readers as the page comes. */
export function alertOf(message: string | undefined): Html | undefined {
  return message === undefined ? undefined : html`<div class="alert" role="alert" id="problem">${message}</div>`;
}

export interface CodeFieldOptions {
  readonly name: string;
  readonly label: string;
  readonly invalid: boolean;
  readonly kind: "digits" | "letters";
  /** `one-time-code` lets phones offer a code that they know. */
  readonly autocomplete: "one-time-code" | "off";
  readonly value?: string;
}

const shapes = {
  digits: html` inputmode="numeric" pattern="[0-9 \\-]*" maxlength="12" class="code"`,
  letters: html` autocapitalize="characters" maxlength="16" class="code long"`,
};

export function codeField({ name, label, invalid, kind, autocomplete, value }: CodeFieldOptions): Html {
  return html`<div class="field"><label for="${name}">${label}</label><input type="text" id="${name}" name="${name}"${
    shapes[kind]
  } autocomplete="${autocomplete}" spellcheck="false" autocorrect="off" required autofocus${
    value !== undefined && html` value="${value}"`
  }${invalid && html` aria-invalid="true" aria-describedby="problem"`}></div>`;
}

export function accountRow(label: string, account: string): Html {
  const [letter = ""] = account;
  return html`<div class="account"><span class="who" aria-hidden="true">${letter.toUpperCase()}</span><span>${label}</span></div>`;
}

export type Sign = "good" | "bad" | "plain";

export function signOf(name: keyof typeof icons, sign: Sign = "plain"): Html {
  return html`<div class="sign ${sign}">${icons[name]}</div>`;
}
