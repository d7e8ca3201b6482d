import { Type } from "typebox";
import { oidcFamily } from "./families.ts";
import { csrfToken, definePage, noted, page, sentTo } from "./page-operation.ts";

const common = { family: oidcFamily, tag: "OIDC", security: "none" } as const;
const flow = Type.Object({ flow: Type.Optional(Type.String()) });
const submit = Type.String({ description: "`allow` to consent. Any other value denies." });
const elsewhere = sentTo("Redirect to the current step of this sign-in.");

const ConsentForm = Type.Object(
  {
    consent_challenge: Type.String(),
    state: Type.Optional(Type.String()),
    submit,
    optional_scope: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], {
        description: "Optional scopes that the user selected.",
      }),
    ),
    csrf_token: csrfToken,
  },
  { title: "ConsentForm" },
);
const DeviceCodeForm = Type.Object({ user_code: Type.String(), csrf_token: csrfToken }, { title: "DeviceCodeForm" });
const DeviceConsentForm = Type.Object({ submit, csrf_token: csrfToken }, { title: "DeviceConsentForm" });

const consent = [
  definePage({
    ...common,
    method: "get",
    path: "/oidc/consent",
    operationId: "consentPage",
    summary: "Show the consent page",
    query: Type.Object({ consent_challenge: Type.Optional(Type.String()), state: Type.Optional(Type.String()) }),
    answers: { 200: page("The consent page."), 302: elsewhere },
  }),
  definePage({
    ...common,
    method: "post",
    path: "/oidc/consent",
    operationId: "consent",
    summary: "Submit the consent",
    form: ConsentForm,
    answers: {
      302: noted("Redirect to the client, with `code` and `state`."),
      403: page("Consent was denied. The page links back to the client."),
    },
  }),
];

const device = [
  definePage({
    ...common,
    method: "get",
    path: "/oidc/device/verify",
    operationId: "deviceCodePage",
    summary: "Show the form for a device code",
    query: Type.Object({ ...flow.properties, user_code: Type.Optional(Type.String()) }),
    answers: { 200: page("The form."), 302: elsewhere },
  }),
  definePage({
    ...common,
    method: "post",
    path: "/oidc/device/verify",
    operationId: "verifyDeviceCode",
    summary: "Submit a device code",
    form: DeviceCodeForm,
    answers: {
      200: page("The form with an error message: the code is unknown, or there were too many attempts."),
      302: sentTo("Redirect to the next step."),
    },
  }),
  definePage({
    ...common,
    method: "get",
    path: "/oidc/device/verify/failed",
    operationId: "deviceFailedPage",
    summary: "Show that the device was denied access",
    answers: { 200: page("The page.") },
  }),
  definePage({
    ...common,
    method: "get",
    path: "/oidc/device/verify/success",
    operationId: "deviceSuccessPage",
    summary: "Show that the device was granted access",
    answers: { 200: page("The page.") },
  }),
  definePage({
    ...common,
    method: "get",
    path: "/oidc/device/consent",
    operationId: "deviceConsentPage",
    summary: "Show the consent page for a device",
    query: flow,
    answers: { 200: page("The consent page."), 302: elsewhere },
  }),
  definePage({
    ...common,
    method: "post",
    path: "/oidc/device/consent",
    operationId: "deviceConsent",
    summary: "Submit the consent for a device",
    form: DeviceConsentForm,
    answers: { 302: sentTo("Redirect to the result page."), 403: page("Consent was denied.") },
  }),
];

/** Pages for consent and for devices. */
export const consentOperations = [...consent, ...device];
