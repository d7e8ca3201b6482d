import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, html, type icons } from "@postern/shared/platform/pages";
import type { Application } from "../../flow/application-of.ts";
import type { Page } from "../look.ts";
import { accountRow, referenceOf, type Sign, signOf } from "../parts.ts";
import type { TextKey } from "../texts.ts";

export type Problem =
  | "failed"
  | "expired"
  | "unavailable"
  | "request"
  | "not_found"
  | "unauthenticated"
  | "required"
  | "doubted";

export interface ErrorView {
  readonly problem: Problem;
  /** Identifies the request in the log. */
  readonly reference: string | undefined;
  /** Path of the link to the next page. */
  readonly href: string | undefined;
  /** The application that waited for the sign-in, if it is known; its link comes first. */
  readonly application?: Application | undefined;
}

interface Words {
  readonly title: TextKey;
  readonly text: TextKey;
  readonly link: TextKey;
  readonly icon: keyof typeof icons;
  readonly sign: Sign;
}

const words: Readonly<Record<Problem, Words>> = {
  failed: { title: "error.title", text: "error.text", link: "error.retry", icon: "cross", sign: "bad" },
  expired: {
    title: "error.expired_title",
    text: "error.expired_text",
    link: "error.begin",
    icon: "clock",
    sign: "plain",
  },
  unavailable: {
    title: "error.unavailable_title",
    text: "error.unavailable_text",
    link: "error.retry",
    icon: "cloud",
    sign: "plain",
  },
  request: {
    title: "error.request_title",
    text: "error.request_text",
    link: "error.retry",
    icon: "cross",
    sign: "bad",
  },
  not_found: {
    title: "error.not_found_title",
    text: "error.not_found_text",
    link: "error.begin",
    icon: "cross",
    sign: "plain",
  },
  required: {
    title: "error.required_title",
    text: "error.required_text",
    link: "common.back",
    icon: "shield",
    sign: "plain",
  },
  doubted: {
    title: "review.doubted_title",
    text: "review.doubted_text",
    link: "common.back",
    icon: "shield",
    sign: "plain",
  },
  unauthenticated: {
    title: "unauthenticated.title",
    text: "unauthenticated.text",
    link: "login.submit",
    icon: "shield",
    sign: "plain",
  },
};

/** The error page; its text reveals nothing to an attacker. */
export const errorPage: Page<ErrorView> = {
  name: "error",
  title: ({ problem }, { text }) => text(words[problem].title),
  body: ({ problem, reference, href, application }, { text }) => {
    const row = words[problem];
    return html`${signOf(row.icon, row.sign)}<h1>${text(row.title)}</h1>
<p class="lead">${text(row.text)}</p>
${application !== undefined && html`<a class="button" href="${application.href}" rel="noopener">${text("consent.return", { client: application.name })}</a>`}
${href !== undefined && html`<a class="button${application !== undefined && " quiet"}" href="${href}">${text(row.link)}</a>`}
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

export interface LoggedOutView {
  readonly again: string | undefined;
}

export const loggedOutPage: Page<LoggedOutView> = {
  name: "logged_out",
  title: (_view, { text }) => text("logged_out.title"),
  body: ({ again }, { text }) => html`${signOf("tick", "good")}<h1>${text("logged_out.title")}</h1>
<p class="lead">${text("logged_out.text")}</p>
${again !== undefined && html`<a class="button quiet" href="${again}">${text("logged_out.again")}</a>`}`,
  sample: { again: pathTo("registrationHome") },
};
