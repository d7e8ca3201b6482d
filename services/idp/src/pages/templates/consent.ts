import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, type Html, html, icons } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { accountRow, sampleForm, signOf } from "../parts.ts";
import { isTextKey } from "../texts.ts";

export interface ConsentScope {
  readonly name: string;
  /** The site's own description, or else the default. */
  readonly description: string | undefined;
  /** The user may leave it out. */
  readonly optional: boolean;
}

/**
 * Header with an application's name and logo. The logo is loaded from the application's site and hidden if it fails to
 * load.
 */
export function clientRow(client: string, logo: string | undefined): Html | undefined {
  if (logo === undefined) return undefined;
  return html`<div class="client"><img src="${logo}" alt="" referrerpolicy="no-referrer"><span>${client}</span></div>`;
}

/** Tells the user that the application is unverified, and who receives the sign-in. */
function warningOf({ unverifiedTarget: target }: ConsentView, { text }: Look): Html | undefined {
  if (target === undefined) return undefined;
  const [before = "", after = ""] = text("consent.target", { target: "\n" }).split("\n");
  return html`<div class="alert" role="note"><p>${text("consent.unverified")}</p><p>${before}<bdi><code>${target}</code></bdi>${after}</p></div>`;
}

/** What an application requests, on the page or on a device. */
export interface RequestView extends FormView {
  readonly client: string;
  /** An https URL. */
  readonly logo: string | undefined;
  /** Leads to a sign-in with another account. */
  readonly other: string;
  readonly account: string;
  readonly scopes: readonly ConsentScope[];
}

interface ConsentView extends RequestView {
  /** Where the sign-in of an unverified client leads; undefined for the site's own clients. */
  readonly unverifiedTarget: string | undefined;
  readonly challenge: string;
  readonly state: string;
  readonly policyUrl: string | undefined;
  readonly termsUrl: string | undefined;
}

const scopesOfMail = /^urn:ietf:params:oauth:scope:/u;

function scopeText({ name, description }: ConsentScope, { text }: Look): string {
  const key = `scope.${name.replace(scopesOfMail, "")}`;
  return description ?? (isTextKey(key) ? text(key) : text("scope.other", { scope: name }));
}

/** A scope that the user cannot leave out. */
export const givenScope = (scope: ConsentScope, look: Look) =>
  html`<li class="given">${icons.tick}<span>${scopeText(scope, look)}</span></li>`;

function scopeItem(scope: ConsentScope, look: Look) {
  if (!scope.optional) return givenScope(scope, look);
  return html`<li><label class="check"><input type="checkbox" name="optional_scope" value="${scope.name}" checked><span>${scopeText(
    scope,
    look,
  )}</span></label></li>`;
}

/** What an application requests. */
export const consentPage: Page<ConsentView> = {
  name: "consent",
  title: ({ client }, { text }) => text("consent.title", { client }),
  body: (view, look) => {
    const { text } = look;
    const { client, policyUrl, termsUrl } = view;
    const links = [
      ...(policyUrl === undefined ? [] : [html`<a href="${policyUrl}">${text("consent.policy", { client })}</a>`]),
      ...(termsUrl === undefined ? [] : [html`<a href="${termsUrl}">${text("consent.terms", { client })}</a>`]),
    ];
    return html`${clientRow(client, view.logo)}<h1>${text("consent.title", { client })}</h1>
${warningOf(view, look)}
<p class="lead">${text("consent.intro", { client })}</p>
${accountRow(text("common.signed_in_as", { account: view.account }), view.account)}
<p><a href="${view.other}">${text("consent.other_account")}</a></p>
${formOf(
  view,
  html`<input type="hidden" name="consent_challenge" value="${view.challenge}"><input type="hidden" name="state" value="${view.state}">
<ul class="scopes">${view.scopes.map((scope) => scopeItem(scope, look))}</ul>
<button type="submit" name="submit" value="allow">${text("consent.allow")}</button>
<button type="submit" name="submit" value="deny" class="quiet">${text("consent.deny")}</button>`,
)}
${links.length > 0 && html`<div class="more">${links}</div>`}`;
  },
  sample: {
    ...sampleForm(pathTo("consentPage")),
    client: "Example Mail",
    unverifiedTarget: "org.example.mail",
    logo: undefined,
    other: "#other",
    account: "alice@example.test",
    challenge: "sample",
    state: "sample",
    scopes: [
      { name: "openid", description: undefined, optional: false },
      { name: "profile", description: undefined, optional: false },
      { name: "urn:ietf:params:oauth:scope:mail", description: undefined, optional: false },
      { name: "offline_access", description: undefined, optional: true },
    ],
    policyUrl: "https://webmail.example.test/privacy",
    termsUrl: "https://webmail.example.test/terms",
  },
};

/** ADR 0005: 403, with a link back that reports the denial to the application. */
export const consentDeniedPage: Page<{ readonly client: string; readonly returnTo: string }> = {
  name: "consent_denied",
  title: (_view, { text }) => text("consent.denied_title"),
  body: ({ client, returnTo }, { text }) => html`${signOf("shield")}<h1>${text("consent.denied_title")}</h1>
<p class="lead">${text("consent.denied_text", { client })}</p>
<a class="button" href="${returnTo}">${text("consent.return", { client })}</a>`,
  sample: { client: "Example Webmail", returnTo: "#back" },
};
