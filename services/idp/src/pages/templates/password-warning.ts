import { html } from "@postern/shared/platform/pages";
import type { PasswordWarning } from "../../flow/flow-record.ts";
import type { Look, Page } from "../look.ts";
import { timeLeft } from "../moments.ts";
import { changeLink, signOf } from "../parts.ts";

export interface PasswordWarningView extends PasswordWarning {
  /** Continues the sign-in. */
  readonly next: string;
}

function warningText({ graceLoginsLeft, expiresInSeconds = 0 }: PasswordWarningView, look: Look): string {
  return graceLoginsLeft === undefined
    ? look.text("password.expires", { when: timeLeft(expiresInSeconds, look) })
    : look.text("password.grace", { count: String(graceLoginsLeft) });
}

/** Shown after a sign-in with a password that must soon be changed. */
export const passwordWarningPage: Page<PasswordWarningView> = {
  name: "password_warning",
  title: (_view, { text }) => text("password.title"),
  body: (view, look) => html`${signOf("key")}<h1>${look.text("password.title")}</h1>
<p class="lead"><strong>${warningText(view, look)}</strong></p>
<p>${look.text("password.text")}</p>
${changeLink(look)}
<a class="button quiet" href="${view.next}">${look.text("device.submit")}</a>`,
  sample: { graceLoginsLeft: 2, next: "#next" },
};
