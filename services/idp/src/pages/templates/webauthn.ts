import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, type Html, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { moment } from "../moments.ts";
import { alertOf, cancelForm, dangerLink, listOf, rememberBox, sampleForm, signOf } from "../parts.ts";
import type { Texts } from "../texts.ts";

import { type BackView, demanded, sampleBack, wayBack } from "./enrolment.ts";

/** Data that the pages' script reads. */
export interface CeremonyView {
  readonly begin: string;
  readonly finish: string;
  readonly csrfToken: string;
}

export type CeremonyKind = "create" | "get" | "passkey";

/** Messages that the script shows; hidden without it. */
function messages(text: Texts, kind: CeremonyKind): Html {
  return html`<div class="alert" role="alert" data-problem="cancelled" hidden>${text("webauthn.cancelled")}</div>
<div class="alert" role="alert" data-problem="failed" hidden>${text("webauthn.failed")} <span class="reference" data-reference hidden>${text("common.reference")} <code></code></span></div>
<div class="alert" role="alert" data-problem="unsupported" hidden>${text("webauthn.unsupported")}</div>
${kind !== "create" && html`<div class="alert" role="alert" data-problem="throttled" hidden>${text("mfa.throttled")}</div>`}
${kind === "create" && html`<div class="alert" role="alert" data-problem="known" hidden>${text("webauthn.known")}</div>`}`;
}

export function ceremony(kind: CeremonyKind, view: CeremonyView, text: Texts, inside: Html): Html {
  return html`<div data-ceremony="${kind}" data-begin="${view.begin}" data-finish="${view.finish}" data-csrf="${view.csrfToken}">
${messages(text, kind)}
${inside}</div>`;
}

const noScript = (text: Texts): Html =>
  html`<noscript><div class="note">${text("webauthn.need_script")}</div></noscript>`;

export interface WebauthnLoginView extends CeremonyView {
  /** Offers not to ask again in this browser. */
  readonly offersToRemember: boolean;
  readonly other: string | undefined;
  readonly restart: string;
  readonly cancel: FormView | undefined;
}

export const webauthnLoginPage: Page<WebauthnLoginView> = {
  name: "webauthn",
  scripts: ["passkeys"],
  title: (_view, { text }) => text("webauthn.title"),
  body: (view, { text }) => html`${signOf("key")}<h1>${text("webauthn.title")}</h1>
<p class="lead">${text("webauthn.intro")}</p>
${noScript(text)}
${ceremony("get", view, text, html`${view.offersToRemember && html`<div hidden>${rememberBox(false, text)}</div>`}<button type="button" hidden>${text("webauthn.use")}</button>`)}
${cancelForm(view.cancel, text)}
<div class="more">${view.other !== undefined && html`<a href="${view.other}">${text("mfa.other")}</a>`}<a href="${
    view.restart
  }">${text("common.start_over")}</a></div>`,
  sample: {
    begin: pathTo("beginWebauthnSignIn"),
    finish: pathTo("finishWebauthnSignIn"),
    csrfToken: "sample",
    offersToRemember: true,
    other: "#other",
    restart: "#restart",
    cancel: sampleForm(pathTo("cancelLogin")),
  },
};

export const webauthnEnrolmentPage: Page<CeremonyView & BackView> = {
  name: "webauthn_register",
  scripts: ["passkeys"],
  title: (_view, { text }) => text("passkeys.add_title"),
  body: (view, { text }) => html`${signOf("key")}<h1>${text("passkeys.add_title")}</h1>
${demanded(view, text)}
<p class="lead">${text("passkeys.add_intro")}</p>
${noScript(text)}
${ceremony(
  "create",
  view,
  text,
  html`<form method="dialog" hidden><div class="field"><label for="name">${text(
    "passkeys.name",
  )}</label><input type="text" id="name" name="name" maxlength="64" autocomplete="off"><p class="hint">${text(
    "passkeys.name_hint",
  )}</p></div><button type="submit">${text("passkeys.add")}</button></form>`,
)}
${wayBack(view, text)}`,
  sample: {
    begin: pathTo("beginWebauthnRegistration"),
    finish: pathTo("finishWebauthnRegistration"),
    csrfToken: "sample",
    ...sampleBack,
  },
};

export interface ShownPasskey {
  readonly id: string;
  readonly name: string;
  readonly createdMs: number | undefined;
  readonly lastUsedMs: number | undefined;
  /** The passkey is synchronised to other devices. */
  readonly isBackedUp: boolean;
  readonly rename: string;
  readonly remove: string;
}

export interface PasskeysView extends BackView {
  readonly csrfToken: string;
  readonly passkeys: readonly ShownPasskey[];
  /** JSON for the user's password manager. */
  readonly signals: string | undefined;
  readonly add: string;
  readonly removeAll: string;
  readonly problem: string | undefined;
}

function passkeyItem({ csrfToken }: PasskeysView, look: Look) {
  const { text } = look;
  return ({ id, name, createdMs, lastUsedMs, isBackedUp, rename, remove }: ShownPasskey): Html => html`<b>${name}</b>
${createdMs !== undefined && html`<span>${text("app_passwords.made")} ${moment(createdMs, look)}</span>`}
${lastUsedMs !== undefined && html`<span>${text("list.last_used")} ${moment(lastUsedMs, look)}</span>`}
<span>${text(isBackedUp ? "passkeys.backed_up" : "passkeys.bound")}</span>
<details><summary>${text("passkeys.rename")}<span class="hidden"> ${name}</span></summary>${formOf(
    { action: rename, csrfToken },
    html`<div class="field"><label for="name-${id}">${text(
      "passkeys.new_name",
    )}</label><input type="text" id="name-${id}" name="name" value="${name}" maxlength="64" required autocomplete="off"></div><button type="submit" class="quiet">${text(
      "passkeys.save_name",
    )}</button>`,
  )}</details>
${dangerLink(remove, text("passkeys.remove"), name)}`;
}

export const passkeysPage: Page<PasskeysView> = {
  name: "webauthn_devices",
  scripts: ["page", "passkeys"],
  title: (_view, { text }) => text("passkeys.title"),
  body: (view, look) => {
    const { text } = look;
    const { passkeys } = view;
    return html`<h1>${text("passkeys.title")}</h1>
<p class="lead">${text("passkeys.intro")}</p>
${view.signals !== undefined && html`<div data-signals="${view.signals}" hidden></div>`}
${alertOf(view.problem)}
${passkeys.length === 0 && html`<p>${text("passkeys.none")}</p>`}
${listOf(passkeys.map(passkeyItem(view, look)))}
<a class="button" href="${view.add}">${text("passkeys.add_title")}</a>
${passkeys.length > 1 && dangerLink(view.removeAll, text("passkeys.remove_all"))}
${wayBack(view, text)}`;
  },
  sample: {
    csrfToken: "sample",
    passkeys: [
      {
        id: "one",
        name: "Laptop",
        createdMs: 1_790_000_000_000,
        lastUsedMs: 1_795_000_000_000,
        isBackedUp: false,
        rename: "#rename",
        remove: "#remove",
      },
      {
        id: "two",
        name: "Phone",
        createdMs: 1_791_000_000_000,
        lastUsedMs: undefined,
        isBackedUp: true,
        rename: "#rename-2",
        remove: "#remove-2",
      },
    ],
    signals: undefined,
    add: "#add",
    removeAll: "#remove-all",
    problem: undefined,
    ...sampleBack,
  },
};
