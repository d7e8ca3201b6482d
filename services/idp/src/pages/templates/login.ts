import { maxUserNameLength, pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, html, icons } from "@postern/shared/platform/pages";
import type { Page } from "../look.ts";
import { alertOf, cancelForm, changeLink, sampleForm, titleAfter } from "../parts.ts";
import { type CeremonyView, ceremony } from "./webauthn.ts";

export interface LoginView extends FormView {
  /** The application that requests the sign-in; absent in self-service. */
  readonly client: string | undefined;
  readonly username: string;
  /** The user is signed in and must authenticate again. */
  readonly fresh: boolean;
  readonly offersRemember: boolean;
  readonly remember: boolean;
  readonly problem: string | undefined;
  /** Links to the page on which users change their password. */
  readonly offersChange: boolean;
  /** Reference of the failed attempt. */
  readonly reference: string | undefined;
  /** Present if passkeys are offered. */
  readonly passkey: CeremonyView | undefined;
  /** Absent if no application waits for the sign-in. */
  readonly cancel: FormView | undefined;
}

/** User name and password fields that password managers recognise. */
export const loginPage: Page<LoginView> = {
  name: "login",
  scripts: ["passkeys", "page"],
  title: titleAfter("login.title"),
  body: (view, { text, brand }) => {
    const invalid = view.problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`;
    const atPassword = view.username !== "";
    return html`<h1>${text("login.title")}</h1>
${view.client !== undefined && html`<p class="lead">${text("login.to", { client: view.client })}</p>`}
${view.fresh && html`<p class="lead">${text("login.fresh")}</p>`}
${alertOf(view.problem, view.reference, text)}${view.offersChange && changeLink({ text, brand })}
${formOf(
  view,
  html`<div class="field"><label for="username">${text("login.username")}</label>
<input type="text" id="username" name="username" value="${view.username}" autocomplete="username webauthn" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="${maxUserNameLength}" required${
    !atPassword && html` autofocus`
  }${invalid}></div>
<div class="field linked"><label for="password">${text("login.password")}</label>
<div class="revealed"><input type="password" id="password" name="password" autocomplete="current-password" maxlength="4096" required${
    atPassword && html` autofocus`
  }${invalid}><button type="button" class="reveal" data-reveal="password" aria-pressed="false" aria-label="${text("login.show_password")}" hidden>${icons.eye}</button></div>${
    brand.passwordForgotten !== undefined && html`<a href="${brand.passwordForgotten}">${text("login.forgotten")}</a>`
  }</div>
${
  view.offersRemember &&
  html`<label class="check"><input type="checkbox" name="remember_me" value="on"${
    view.remember && html` checked`
  }><span>${text("login.remember")}<small>${text("login.remember_hint")}</small></span></label>`
}
<button type="submit">${text("login.submit")}</button>`,
)}
${
  view.passkey !== undefined &&
  ceremony(
    "passkey",
    view.passkey,
    text,
    html`<button type="button" class="quiet" hidden>${text("login.passkey")}</button>`,
  )
}
${cancelForm(view.cancel, text)}`;
  },
  sample: {
    ...sampleForm(pathTo("loginPage")),
    client: "Example Webmail",
    username: "",
    fresh: false,
    offersRemember: true,
    remember: false,
    problem: undefined,
    offersChange: false,
    reference: undefined,
    passkey: { begin: pathTo("beginWebauthnSignIn"), finish: pathTo("finishWebauthnSignIn"), csrfToken: "sample" },
    cancel: sampleForm(pathTo("cancelLogin")),
  },
};
