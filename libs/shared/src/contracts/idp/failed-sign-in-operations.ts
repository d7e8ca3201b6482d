import { Type } from "typebox";
import { errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";
import { component, optionalText, text } from "../schema.ts";

const failedSignIns = operatorApi(
  { name: "failed sign-ins", prefix: "/api/v1/sign-ins", owner: "idp" },
  "Failed sign-ins",
  { 403: errorAnswer("The token lacks a required scope.") },
);

/** A failed sign-in on the pages, as operators see it. */
export const FailedSignInRecord = component("FailedSignIn", {
  reference: text("Reference that the sign-in page showed."),
  session: text("GUID of the request, as in the log."),
  time: text("Time, in ISO 8601."),
  step: text("Step: password, totp, recovery, webauthn, passkey, remembered_device or lost_phone."),
  outcome: text("Outcome: denied, blocked, throttled or undecided."),
  reason: text("Reason as in the log, such as wrong_password, unknown_user, blocked or policy."),
  rule: optionalText("Brute-force rule that banned the network."),
  account: optionalText("Account name. Absent if no backend has an account of the given name."),
  client_ip: Type.String(),
  kind: text("Kind of sign-in: oidc, saml, device or self_service."),
  client: optionalText("Client or service provider."),
});

export const failedSignInOperations = [
  failedSignIns("get", "/api/v1/sign-ins/{reference}", "getFailedSignIn", {
    summary: "Explain a failed sign-in",
    description:
      "The sign-in is identified by the reference that the page showed, or by the GUID of the request. Records are kept for seven days, at most the latest 32,768.",
    request: {
      path: Type.Object({
        reference: text("Reference as the page showed it, such as `7d3f91ac-20b4`, or the GUID of the request.", {
          minLength: 1,
          maxLength: 64,
        }),
      }),
    },
    answers: {
      200: jsonAnswer("The failed sign-in.", FailedSignInRecord),
      404: errorAnswer("No failed sign-in with this reference is stored."),
    },
  }),
];
