import { Type } from "typebox";
import { queryOf } from "../operations/answers.ts";
import { component, text } from "../schema.ts";
import { csrfToken, form, noted, oidcFamily, page, pagesWith, sentTo } from "./page-operation.ts";

const oidcPage = pagesWith({ family: oidcFamily, tag: "OIDC", security: "none" });
const flow = Type.Object({ flow: Type.Optional(Type.String()) });
const submit = text("`allow` to consent. Any other value denies.");
const elsewhere = sentTo("Redirect to the current step of this sign-in.");

const ConsentForm = component("ConsentForm", {
  consent_challenge: Type.String(),
  state: Type.Optional(Type.String()),
  submit,
  optional_scope: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String())], {
      description: "Optional scopes that the user selected.",
    }),
  ),
  csrf_token: csrfToken,
});
const DeviceCodeForm = component("DeviceCodeForm", { user_code: Type.String(), csrf_token: csrfToken });
const DeviceConsentForm = component("DeviceConsentForm", { submit, csrf_token: csrfToken });

const consent = [
  oidcPage("get", "/oidc/consent", "consentPage", {
    summary: "Show the consent page",
    request: queryOf({ consent_challenge: Type.Optional(Type.String()), state: Type.Optional(Type.String()) }),
    answers: { 200: page("The consent page."), 302: elsewhere },
  }),
  oidcPage("post", "/oidc/consent", "consent", {
    summary: "Submit the consent",
    request: form(ConsentForm),
    answers: {
      302: noted("Redirect to the client, with `code` and `state`."),
      403: page("Consent was denied. The page links back to the client."),
    },
  }),
];

const device = [
  oidcPage("get", "/oidc/device/verify", "deviceCodePage", {
    summary: "Show the form for a device code",
    request: queryOf({ ...flow.properties, user_code: Type.Optional(Type.String()) }),
    answers: { 200: page("The form."), 302: elsewhere },
  }),
  oidcPage("post", "/oidc/device/verify", "verifyDeviceCode", {
    summary: "Submit a device code",
    request: form(DeviceCodeForm),
    answers: {
      200: page("The form with an error message: the code is unknown, or there were too many attempts."),
      302: sentTo("Redirect to the next step."),
    },
  }),
  oidcPage("get", "/oidc/device/verify/failed", "deviceFailedPage", {
    summary: "Show that the device was denied access",
    answers: { 200: page("The page.") },
  }),
  oidcPage("get", "/oidc/device/verify/success", "deviceSuccessPage", {
    summary: "Show that the device was granted access",
    answers: { 200: page("The page.") },
  }),
  oidcPage("get", "/oidc/device/consent", "deviceConsentPage", {
    summary: "Show the consent page for a device",
    request: { query: flow },
    answers: { 200: page("The consent page."), 302: elsewhere },
  }),
  oidcPage("post", "/oidc/device/consent", "deviceConsent", {
    summary: "Submit the consent for a device",
    request: form(DeviceConsentForm),
    answers: { 302: sentTo("Redirect to the result page."), 403: page("Consent was denied.") },
  }),
];

export const consentOperations = [...consent, ...device];
