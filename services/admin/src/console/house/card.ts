import { type Html, html } from "@postern/shared/platform/pages";

export interface Card {
  readonly title: Html;
  /** Beside the title. Undefined: it is not known, or nothing is counted. */
  readonly count?: number | undefined;
  readonly isOpen?: boolean;
  readonly body: Html;
}

/** A part of a page that folds, with its number of things. */
export const card = ({ title, count, isOpen = false, body }: Card): Html =>
  html`<details class="card"${isOpen && html` open`}><summary><h2>${title}</h2>${
    count !== undefined && html`<span class="count">${count}</span>`
  }</summary><div class="inside">${body}</div></details>`;
