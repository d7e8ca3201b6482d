import { Type } from "typebox";
import type { Operation } from "../openapi/define-operation.ts";
import { csrfToken, noted, type PageOperation, page, pageOperations, sentTo } from "./page-operation.ts";

const common = { tag: "OIDC", security: "none" } as const;
const flow = Type.Object({ flow: Type.Optional(Type.String()) });
const submit = Type.String({ description: "`allow`; anything else is a denial." });
const elsewhere = sentTo("To where this sign-in stands.");

const ConsentForm = Type.Object(
  {
    consent_challenge: Type.String(),
    state: Type.Optional(Type.String()),
    submit,
    optional_scope: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String())], { description: "Those that the user left ticked." }),
    ),
    csrf_token: csrfToken,
  },
  { title: "ConsentForm" },
);
const DeviceCodeForm = Type.Object({ user_code: Type.String(), csrf_token: csrfToken }, { title: "DeviceCodeForm" });
const DeviceConsentForm = Type.Object({ submit, csrf_token: csrfToken }, { title: "DeviceConsentForm" });

const consent: readonly PageOperation[] = [
  {
    ...common,
    method: "get",
    path: "/oidc/consent",
    operationId: "consentPage",
    summary: "The page that asks whether a client may use the account",
    query: Type.Object({ consent_challenge: Type.Optional(Type.String()), state: Type.Optional(Type.String()) }),
    answers: { 200: page("The question."), 302: elsewhere },
  },
  {
    ...common,
    method: "post",
    path: "/oidc/consent",
    operationId: "consent",
    summary: "The answer",
    form: ConsentForm,
    answers: {
      302: noted("To the client, with `code` and `state`."),
      403: page("Denied: the page leads back to the client."),
    },
  },
];

const device: readonly PageOperation[] = [
  {
    ...common,
    method: "get",
    path: "/oidc/device/verify",
    operationId: "deviceCodePage",
    summary: "The page that asks for a device's code",
    query: Type.Object({ ...flow.properties, user_code: Type.Optional(Type.String()) }),
    answers: { 200: page("The form."), 302: elsewhere },
  },
  {
    ...common,
    method: "post",
    path: "/oidc/device/verify",
    operationId: "verifyDeviceCode",
    summary: "Takes a device's code",
    form: DeviceCodeForm,
    answers: { 200: page("The form again: the code is unknown, or too many came."), 302: sentTo("On.") },
  },
  {
    ...common,
    method: "get",
    path: "/oidc/device/verify/failed",
    operationId: "deviceFailedPage",
    summary: "The page that says that the device was not let in",
    answers: { 200: page("The page.") },
  },
  {
    ...common,
    method: "get",
    path: "/oidc/device/verify/success",
    operationId: "deviceSuccessPage",
    summary: "The page that says that the device was let in",
    answers: { 200: page("The page.") },
  },
  {
    ...common,
    method: "get",
    path: "/oidc/device/consent",
    operationId: "deviceConsentPage",
    summary: "The page that asks whether a device may use the account",
    query: flow,
    answers: { 200: page("The question."), 302: elsewhere },
  },
  {
    ...common,
    method: "post",
    path: "/oidc/device/consent",
    operationId: "deviceConsent",
    summary: "The answer for a device",
    form: DeviceConsentForm,
    answers: { 302: sentTo("To the page that says so."), 403: page("Denied.") },
  },
];

/** Contract, "Identity provider: OIDC": the pages of consent and of devices. */
export const consentOperations: readonly Operation[] = [...consent, ...device].flatMap((row) => pageOperations(row));
