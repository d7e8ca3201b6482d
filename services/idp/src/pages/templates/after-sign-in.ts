import { html } from "@postern/shared/platform/pages";
import type { PasswordWarning } from "../../flow/flow-record.ts";
import type { Look, Page } from "../look.ts";
import { timeLeft } from "../moments.ts";
import { changeLink, signOf } from "../parts.ts";

/** Shown after a sign-in with one of the last recovery codes. */
export const codesLowPage: Page<{
  readonly left: number;
  readonly make: string;
  /** Continues the sign-in. */
  readonly next: string;
}> = {
  name: "codes_low",
  title: (_view, { text }) => text("codes.low_title"),
  body: ({ left, make, next }, { text }) => html`${signOf("list")}<h1>${text("codes.low_title")}</h1>
<p class="lead"><strong>${text("home.left", { count: String(left) })}</strong></p>
<p>${text("codes.low_text")}</p>
<a class="button" href="${make}" target="_blank" rel="noopener">${text("codes.make")}</a>
<a class="button quiet" href="${next}">${text("device.submit")}</a>`,
  sample: { left: 2, make: "#make", next: "#next" },
};

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
