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

/** Line icons on a grid of 24; purely decorative beside their text. */
export const icon = (shape: Html): Html =>
  html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">${shape}</svg>`;

export const icons = Object.freeze({
  globe: icon(
    html`<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c2.5 2.6 3.8 5.600 3.800 9s-1.300 6.400-3.800 9c-2.500-2.600-3.800-5.600-3.800-9S9.500 5.600 12 3z"/>`,
  ),
  phone: icon(html`<rect x="6.500" y="2.500" width="11" height="19" rx="2.500"/><path d="M10.500 18.500h3"/>`),
  key: icon(html`<circle cx="8" cy="15" r="4.500"/><path d="m11.300 11.700 8.200-8.200M16 7l3 3M13.500 9.500l2 2"/>`),
  list: icon(
    html`<rect x="4" y="3" width="16" height="18" rx="2.500"/><path d="M8 8.500h3M8 12.500h3M8 16.500h3M14 8.500h2M14 12.500h2M14 16.500h2"/>`,
  ),
  eye: icon(
    html`<path d="M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12z"/><circle cx="12" cy="12" r="2.750"/><path class="shut" d="m4 4 16 16"/>`,
  ),
  tick: icon(html`<path d="m5 12.500 4.500 4.500L19 7.500"/>`),
  cross: icon(html`<path d="M6.500 6.500l11 11M17.500 6.500l-11 11"/>`),
  clock: icon(html`<circle cx="12" cy="12" r="9"/><path d="M12 7v5.300l3.300 2"/>`),
  shield: icon(html`<path d="M12 3 5 5.800v5.400c0 4.300 2.900 7.900 7 9.800 4.100-1.900 7-5.500 7-9.800V5.800z"/>`),
  cloud: icon(
    html`<path d="M7 18.500a4.500 4.500 0 0 1-.4-9A5.800 5.800 0 0 1 17.700 10 4.200 4.200 0 0 1 17.500 18.500z"/>`,
  ),
  screen: icon(html`<rect x="3" y="4.500" width="18" height="12" rx="2"/><path d="M9 20.500h6M12 16.500v4"/>`),
  letter: icon(html`<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.500 7 8.500 6 8.500-6"/>`),
});
