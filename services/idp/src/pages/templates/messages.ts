import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, html, type icons } from "@postern/shared/platform/pages";
import type { Application } from "../../flow/application-of.ts";
import type { Page } from "../look.ts";
import { accountRow, referenceOf, type Sign, signOf } from "../parts.ts";
import type { TextKey } from "../texts.ts";

type Words = readonly [title: TextKey, text: TextKey, link: TextKey, icon: keyof typeof icons, sign?: Sign];

const words = {
  failed: ["error.title", "error.text", "error.retry", "cross", "bad"],
  expired: ["error.expired_title", "error.expired_text", "error.begin", "clock"],
  unavailable: ["error.unavailable_title", "error.unavailable_text", "error.retry", "cloud"],
  request: ["error.request_title", "error.request_text", "error.retry", "cross", "bad"],
  not_found: ["error.not_found_title", "error.not_found_text", "error.begin", "cross"],
  required: ["error.required_title", "error.required_text", "common.back", "shield"],
  doubted: ["review.doubted_title", "review.doubted_text", "common.back", "shield"],
  unauthenticated: ["unauthenticated.title", "unauthenticated.text", "login.submit", "shield"],
} as const satisfies Readonly<Record<string, Words>>;

export type Problem = keyof typeof words;

/** The error page; its text reveals nothing to an attacker. */
export const errorPage: Page<{
  readonly problem: Problem;
  /** Identifies the request in the log. */
  readonly reference: string | undefined;
  /** Path of the link to the next page. */
  readonly href: string | undefined;
  /** The application that waited for the sign-in, if it is known; its link comes first. */
  readonly application?: Application | undefined;
}> = {
  name: "error",
  title: ({ problem }, { text }) => text(words[problem][0]),
  body: ({ problem, reference, href, application }, { text }) => {
    const [title, lead, link, icon, sign]: Words = words[problem];
    return html`${signOf(icon, sign)}<h1>${text(title)}</h1>
<p class="lead">${text(lead)}</p>
${application !== undefined && html`<a class="button" href="${application.href}" rel="noopener">${text("consent.return", { client: application.name })}</a>`}
${href !== undefined && html`<a class="button${application !== undefined && " quiet"}" href="${href}">${text(link)}</a>`}
${reference !== undefined && referenceOf(reference, text)}`;
  },
  sample: { problem: "expired", reference: "5f0c7a52-8a0e", href: "#account" },
};

export interface LogoutView extends FormView {
  readonly account: string;
  /** Target of "stay signed in". */
  readonly stay: string;
  /** Further hidden fields of the protocol. */
  readonly fields: Readonly<Record<string, string>>;
}

/** An RP-initiated logout without a valid ID token: the user decides. */
export const logoutPage: Page<LogoutView> = {
  name: "logout",
  title: (_view, { text }) => text("logout.title"),
  body: (view, { text }) => html`<h1>${text("logout.title")}</h1>
<p class="lead">${text("logout.text")}</p>
${accountRow(text("common.signed_in_as", { account: view.account }), view.account)}
${formOf(
  view,
  html`${Object.entries(view.fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button type="submit">${text("logout.confirm")}</button>`,
)}
<a class="button quiet" href="${view.stay}">${text("logout.stay")}</a>`,
  sample: { action: pathTo("logout"), csrfToken: "sample", account: "alice@example.test", stay: "#stay", fields: {} },
};

export const loggedOutPage: Page<{ readonly again: string | undefined }> = {
  name: "logged_out",
  title: (_view, { text }) => text("logged_out.title"),
  body: ({ again }, { text }) => html`${signOf("tick", "good")}<h1>${text("logged_out.title")}</h1>
<p class="lead">${text("logged_out.text")}</p>
${again !== undefined && html`<a class="button quiet" href="${again}">${text("logged_out.again")}</a>`}`,
  sample: { again: pathTo("registrationHome") },
};
