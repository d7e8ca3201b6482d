import { html } from "@postern/shared/platform/pages";
import type { Page } from "../look.ts";
import { signOf } from "../parts.ts";

export interface CodesLowView {
  readonly left: number;
  readonly make: string;
  /** Continues the sign-in. */
  readonly next: string;
}

/** Shown after a sign-in with one of the last recovery codes. */
export const codesLowPage: Page<CodesLowView> = {
  name: "codes_low",
  title: (_view, { text }) => text("codes.low_title"),
  body: ({ left, make, next }, { text }) => html`${signOf("list")}<h1>${text("codes.low_title")}</h1>
<p class="lead"><strong>${text("home.left", { count: String(left) })}</strong></p>
<p>${text("codes.low_text")}</p>
<a class="button" href="${make}" target="_blank" rel="noopener">${text("codes.make")}</a>
<a class="button quiet" href="${next}">${text("device.submit")}</a>`,
  sample: { left: 2, make: "#make", next: "#next" },
};
