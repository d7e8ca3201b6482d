import { html } from "@postern/shared/platform/pages";
import type { Page } from "../look.ts";

export interface PostMessageView {
  /** The application to which the browser returns. */
  readonly client: string;
  readonly action: string;
  readonly fields: Readonly<Record<string, string>>;
  /** URL of the script that submits the form; without scripts, the user presses the button. */
  readonly script: string | undefined;
}

/** Sends a message through the browser to another site. */
export const postMessagePage: Page<PostMessageView> = {
  name: "post_message",
  scripts: ["own"],
  title: ({ client }, { text }) => text("consent.return", { client }),
  body: ({ client, action, fields, script }, { text }) => html`<h1>${text("consent.return", { client })}</h1>
<form method="post" action="${action}" data-send>
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button type="submit">${text("consent.return", { client })}</button>
</form>
${script !== undefined && html`<script src="${script}" defer></script>`}`,
  sample: { client: "Example wiki", action: "#send", fields: {}, script: undefined },
};
