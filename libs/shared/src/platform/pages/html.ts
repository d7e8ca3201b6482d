const markup = Symbol("markup");

/** Text that is already markup. Only `html` creates it. */
export interface Html {
  readonly [markup]: string;
}

export type Interpolated = string | number | Html | readonly Html[] | undefined | false;

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Safe between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "");
}

function isList(value: Interpolated): value is readonly Html[] {
  return Array.isArray(value);
}

function written(value: Interpolated): string {
  if (value === undefined || value === false) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  return isList(value) ? value.map((part) => part[markup]).join("") : value[markup];
}

/** A template: escapes every text except markup created by `html`; undefined and false print nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Interpolated[]): Html {
  let text = parts[0] ?? "";
  for (const [index, value] of values.entries()) text += written(value) + (parts[index + 1] ?? "");
  return { [markup]: text };
}

/** Markup from a site's own template, never from a request. */
export function trustedHtml(text: string): Html {
  return { [markup]: text };
}

export function htmlText(value: Html): string {
  return value[markup];
}

/** The target of a form, and the proof that the form came from our page. */
export interface FormView {
  readonly action: string;
  readonly csrfToken: string;
}

export function formOf({ action, csrfToken }: FormView, fields: Html): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}">${fields}</form>`;
}
