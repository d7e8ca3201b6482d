import { html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";

export interface PostMessageView {
  /** The application to which the browser returns; undefined for a page of ours. */
  readonly client: string | undefined;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** URL of the script that submits the form; without scripts, the user presses the button. */
  readonly script: string | undefined;
}

function labelOf({ client }: PostMessageView, { text }: Look): string {
  return client === undefined ? text("partly_signed_out.next") : text("consent.return", { client });
}

/** Sends a message through the browser, mostly to another site. */
export const postMessagePage: Page<PostMessageView> = {
  name: "post_message",
  scripts: ["own"],
  title: labelOf,
  body: (view, look) => {
    const { action, fields, script } = view;
    const label = labelOf(view, look);
    return html`<h1>${label}</h1>
<form method="post" action="${action}" data-send>
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">${label}</button>
</form>
${script !== undefined && html`<script src="${script}" defer></script>`}`;
  },
  sample: { client: "Example wiki", action: "#send", fields: {}, script: undefined },
};
