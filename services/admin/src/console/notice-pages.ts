import { pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { ConsolePage } from "./console-document.ts";

interface Notice {
  readonly title: string;
  readonly text: string;
  readonly status: number;
  /** Label of the link to the sign-in. */
  readonly signIn?: string;
  /** The identity provider asks for password and second factor, even if its session could do without. */
  readonly asksAgain?: true;
  /** It has a form for an invitation code. */
  readonly takesCode?: true;
}

const notices = {
  signed_out: { title: "You are signed out", text: "The session has ended.", status: 200, signIn: "Sign in" },
  no_session: {
    title: "Sign in again",
    text: "The session has ended. Nothing was changed.",
    status: 403,
    signIn: "Sign in",
  },
  no_role: {
    title: "No access",
    text: "This account has no role in the console. Administrators assign roles in runtime.console.roles.",
    status: 403,
  },
  role: { title: "Not permitted", text: "Your role does not permit this. Nothing was changed.", status: 403 },
  target: {
    title: "Not permitted",
    text: "This is your own account, or it has the same role as yours or a higher one, or its role cannot be read, as that of a disabled account. Nothing was changed.",
    status: 403,
  },
  unknown: {
    title: "No such account",
    text: "No backend has an account of this name. Nothing was changed.",
    status: 404,
  },
  form: {
    title: "Form rejected",
    text: "The form does not belong to this session or this console. Open the page again. Nothing was changed.",
    status: 403,
  },
  reason: { title: "Reason missing", text: "Enter a reason of 3 to 300 characters. Nothing was changed.", status: 400 },
  filter: { title: "Invalid filter", text: "Check the times of the filter. Nothing was exported.", status: 400 },
  failed: { title: "Not done", text: "The request was rejected: there may have been nothing to change.", status: 400 },
  one_factor: {
    title: "Second factor required",
    text: "The console requires an authenticator app or a passkey. Set one up on your account page, then sign in again.",
    status: 403,
    signIn: "Sign in again",
  },
  new_factor: {
    title: "Sign in with your second factor",
    text: "Your session at the identity provider did not begin with a second factor. Sign in again with it.",
    status: 403,
    signIn: "Sign in again",
    asksAgain: true,
  },
  unproven: {
    title: "Invitation required",
    text: "Your second factor is new, and the password was enough to set it up. Enter the code that an administrator gives you in person. Administrators create it on your page Account, or by postern invite.",
    status: 403,
    takesCode: true,
  },
  code: {
    title: "Code not valid",
    text: "The code is wrong or used, has expired after a day, or belongs to another account. Nothing was changed.",
    status: 403,
    takesCode: true,
  },
  unnamed: {
    title: "Not signed in",
    text: "The identity provider sent no account name. Administrators set the claim in runtime.console.account_claim.",
    status: 403,
  },
  cancelled: { title: "Not signed in", text: "The sign-in was cancelled.", status: 403, signIn: "Sign in" },
  invalid: {
    title: "Not signed in",
    text: "The sign-in took too long, began in another browser, or was invalid.",
    status: 400,
    signIn: "Sign in",
  },
  unavailable: {
    title: "Temporarily unavailable",
    text: "A service that this page needs does not respond. The audit stream shows whether an action was carried out. Try again later.",
    status: 503,
  },
  no_sessions: {
    title: "Redis is unavailable",
    text: "Without Redis, the console cannot check sessions, and it carries out no actions. Nothing was changed.",
    status: 503,
  },
  link: {
    title: "Link expired",
    text: "A link to a search works for eight hours, and only for the operator who searched. Search again.",
    status: 404,
  },
  empty: {
    title: "Nothing to search for",
    text: "Enter an account, an address, a network or a reference.",
    status: 400,
  },
  not_found: { title: "Page not found", text: "The console has no such page.", status: 404 },
} as const satisfies Readonly<Record<string, Notice>>;

export type NoticeKey = keyof typeof notices;

const codeForm = html`<form method="post" action="${pathTo(
  "consoleSignInByCode",
)}"><div class="field"><label for="code">Invitation code</label><input type="text" id="code" name="code" autocomplete="off" maxlength="64" required></div><button type="submit">Sign in</button></form>`;

/** A page with one sentence. `reference` is the GUID of the request. */
export function noticePage(key: NoticeKey, reference?: string): ConsolePage {
  const { title, text, status, signIn, asksAgain, takesCode }: Notice = notices[key];
  const toSignIn = `${pathTo("consoleSignIn")}${asksAgain === true ? "?proof=1" : ""}`;
  const link = signIn === undefined ? pathTo("consoleSearch") : toSignIn;
  const body: Html = html`<h1>${title}</h1><p class="lead">${text}</p>${
    reference !== undefined && html`<p class="reference">Reference <code>${reference}</code></p>`
  }${takesCode === true && codeForm}<a class="button quiet" href="${link}">${signIn ?? "Back to the search"}</a>`;
  return { title, status, body };
}
