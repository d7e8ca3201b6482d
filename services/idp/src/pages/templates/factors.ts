import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { FactorMethod } from "../../flow/flow-record.ts";
import type { Look, Page } from "../look.ts";
import {
  alertOf,
  type Choice,
  cancelForm,
  choicesOf,
  codeField,
  rememberBox,
  sampleForm,
  titleAfter,
} from "../parts.ts";

const iconOf = { totp: "phone", webauthn: "key", recovery: "list", lost_phone: "letter" } as const;

/** The user chooses one of several factors. */
export const mfaPage: Page<{
  readonly choices: readonly { readonly method: FactorMethod | "lost_phone"; readonly href: string }[];
  readonly lastUsed: FactorMethod | undefined;
  readonly restart: string;
  readonly cancel: FormView | undefined;
}> = {
  name: "mfa",
  title: (_view, { text }) => text("mfa.title"),
  body: ({ choices, lastUsed, restart, cancel }, { text }) => {
    const items = choices.map(({ method, href }): Choice => {
      const state = text(method === lastUsed ? "mfa.last_used" : `mfa.${method}_hint`);
      return [href, iconOf[method], text(`mfa.${method}`), state];
    });
    return html`<h1>${text("mfa.title")}</h1>
<p class="lead">${text("mfa.intro")}</p>
${choicesOf(items, false)}
${cancelForm(cancel, text)}
<div class="more"><a href="${restart}">${text("common.start_over")}</a></div>`;
  },
  sample: {
    choices: [
      { method: "totp", href: "#totp" },
      { method: "webauthn", href: "#webauthn" },
      { method: "recovery", href: "#recovery" },
      { method: "lost_phone", href: "#lost-phone" },
    ],
    lastUsed: "totp",
    restart: "#restart",
    cancel: sampleForm(pathTo("cancelLogin")),
  },
};

export interface FactorView extends FormView {
  readonly account: string;
  readonly problem: string | undefined;
  /** Reference of the failed attempt. */
  readonly reference: string | undefined;
  /** Offers not to ask again in this browser. */
  readonly offersToRemember: boolean;
  readonly isToRemember: boolean;
  /** Link to the other factors; absent if there are none. */
  readonly other: string | undefined;
  readonly restart: string;
  readonly cancel: FormView | undefined;
}

type CodeName = "totp" | "recovery" | "lost_phone";

function factorBody(method: CodeName, view: FactorView, { text, brand }: Look): Html {
  const field = codeField({
    name: "code",
    label: text(`${method}.code`),
    invalid: view.problem !== undefined,
    kind: method === "totp" ? "digits" : "letters",
  });
  return html`<h1>${text(`${method}.title`)}</h1>
<p class="lead">${text(`${method}.intro`, { brand: brand.name })}</p>
${alertOf(view.problem, view.reference, text)}
${formOf(view, html`${field}${view.offersToRemember && rememberBox(view.isToRemember, text)}<button type="submit">${text(method === "lost_phone" ? "recovery.submit" : `${method}.submit`)}</button>`)}
${cancelForm(view.cancel, text)}
<div class="more">${
    view.other !== undefined &&
    html`<a href="${view.other}">${text(method === "totp" ? "totp.other" : "mfa.other")}</a>`
  }<a href="${view.restart}">${text("common.start_over")}</a></div>`;
}

function factorPage(method: CodeName, action: string): Page<FactorView> {
  return {
    name: method,
    title: titleAfter(`${method}.title`),
    body: (view, look) => factorBody(method, view, look),
    sample: {
      action,
      csrfToken: "sample",
      account: "alice@example.test",
      problem: undefined,
      reference: undefined,
      offersToRemember: method === "totp",
      isToRemember: false,
      other: "#other",
      restart: "#restart",
      cancel: sampleForm(pathTo("cancelLogin")),
    },
  };
}

export const totpPage = factorPage("totp", pathTo("totpPage"));
export const recoveryPage = factorPage("recovery", pathTo("recoveryPage"));
export const lostPhonePage = factorPage("lost_phone", pathTo("lostPhonePage"));
