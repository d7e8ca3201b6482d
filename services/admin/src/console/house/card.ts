import { type Html, html, htmlText } from "@postern/shared/platform/pages";

export interface Card {
  readonly title: Html;
  /** Beside the title. Undefined: it is not known, or nothing is counted. */
  readonly count?: number | undefined;
  readonly isOpen?: boolean;
  readonly body: Html;
}

/** How a form that is open begins. */
const openForm = "<details open>";

/** Whether a form in this part of a page is open, so that what folds around it has to be open too. */
export const hasOpenForm = (part: Html): boolean => htmlText(part).includes(openForm);

/** A part of a page that folds, with its number of things. */
export const card = ({ title, count, isOpen = false, body }: Card): Html =>
  html`<details class="card"${(isOpen || hasOpenForm(body)) && html` open`}><summary><h2>${title}</h2>${
    count !== undefined && html`<span class="count">${count}</span>`
  }</summary><div class="inside">${body}</div></details>`;
