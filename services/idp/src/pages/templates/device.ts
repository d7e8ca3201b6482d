import { pathTo } from "@postern/shared/contracts";
import { type FormView, formOf, html } from "@postern/shared/platform/pages";
import type { Page } from "../look.ts";
import { accountRow, alertOf, codeField, sampleForm, signOf, titleAfter } from "../parts.ts";
import { clientRow, givenScope, type RequestView } from "./consent.ts";

/** RFC 8628 §3.3: the user enters the code that the device shows. */
export const deviceCodePage: Page<FormView & { readonly userCode: string; readonly problem: string | undefined }> = {
  name: "device",
  title: titleAfter("device.title"),
  body: (view, { text }) => html`${signOf("screen")}<h1>${text("device.title")}</h1>
<p class="lead">${text("device.intro")}</p>
${alertOf(view.problem)}
${formOf(
  view,
  html`${codeField({
    name: "user_code",
    label: text("device.code"),
    invalid: view.problem !== undefined,
    kind: "letters",
    value: view.userCode,
  })}<button type="submit">${text("device.submit")}</button>`,
)}`,
  sample: { action: pathTo("deviceCodePage"), csrfToken: "sample", userCode: "", problem: undefined },
};

/** RFC 8628 §5.4: the user sees which application requests access and confirms that it is their own device. */
export const deviceConsentPage: Page<RequestView & { readonly userCode: string }> = {
  name: "device_consent",
  title: (_view, { text }) => text("device.confirm_title"),
  body: (view, look) => {
    const { text } = look;
    const scopes = view.scopes.map((scope) => givenScope(scope, look));
    return html`${clientRow(view.client, view.logo)}<h1>${text("device.confirm_title")}</h1>
<p class="lead">${text("device.confirm_text", { client: view.client })}</p>
<ul class="scopes">${scopes}</ul>
${accountRow(text("common.signed_in_as", { account: view.account }), view.account)}
<p><a href="${view.other}">${text("consent.other_account")}</a></p>
<div class="note">${text("device.confirm_warning")}</div>
<div class="usercode">${view.userCode}</div>
${formOf(
  view,
  html`<button type="submit" name="submit" value="allow">${text("device.allow")}</button>
<button type="submit" name="submit" value="deny" class="quiet">${text("device.deny")}</button>`,
)}`;
  },
  sample: {
    ...sampleForm(pathTo("deviceConsentPage")),
    client: "Example TV",
    logo: undefined,
    other: "#other",
    account: "alice@example.test",
    userCode: "BDWP-HQPK",
    scopes: [
      { name: "openid", description: undefined, optional: false },
      { name: "email", description: undefined, optional: false },
    ],
  },
};

export const deviceSuccessPage: Page<object> = {
  name: "device_success",
  title: (_view, { text }) => text("device.success_title"),
  body: (_view, { text }) => html`${signOf("tick", "good")}<h1>${text("device.success_title")}</h1>
<p class="lead">${text("device.success_text")}</p>`,
  sample: {},
};

export const deviceFailedPage: Page<{ readonly again: string }> = {
  name: "device_failed",
  title: (_view, { text }) => text("device.failed_title"),
  body: ({ again }, { text }) => html`${signOf("cross", "bad")}<h1>${text("device.failed_title")}</h1>
<p class="lead">${text("device.failed_text")}</p>
<a class="button quiet" href="${again}">${text("device.again")}</a>`,
  sample: { again: pathTo("deviceCodePage") },
};
