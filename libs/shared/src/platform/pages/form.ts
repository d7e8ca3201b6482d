import { type Html, html } from "./html.ts";

/** The target of a form, and the proof that the form came from our page. */
export interface FormView {
  readonly action: string;
  readonly csrfToken: string;
}

export function formOf({ action, csrfToken }: FormView, fields: Html): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf_token" value="${csrfToken}">${fields}</form>`;
}
