import { Type } from "typebox";
import { errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";

const failedSignIns = operatorApi(
  { name: "failed sign-ins", prefix: "/api/v1/sign-ins", owner: "idp" },
  "Failed sign-ins",
  { 403: errorAnswer("The token lacks a required scope.") },
);

/** A failed sign-in on the pages, as operators see it. */
export const FailedSignInRecord = Type.Object(
  {
    reference: Type.String({ description: "Reference that the sign-in page showed." }),
    session: Type.String({ description: "GUID of the request, as in the log." }),
    time: Type.String({ description: "Time, in ISO 8601." }),
    step: Type.String({ description: "Step: password, totp, recovery, webauthn or passkey." }),
    outcome: Type.String({ description: "Outcome: denied, blocked, throttled or undecided." }),
    reason: Type.String({
      description: "Reason as in the log, such as wrong_password, unknown_user, blocked or policy.",
    }),
    rule: Type.Optional(Type.String({ description: "Brute-force rule that banned the network." })),
    account: Type.Optional(
      Type.String({ description: "Account name. Absent if no backend has an account of the given name." }),
    ),
    client_ip: Type.String(),
    kind: Type.String({ description: "Kind of sign-in: oidc, saml, device or self_service." }),
    client: Type.Optional(Type.String({ description: "Client or service provider." })),
  },
  { title: "FailedSignIn" },
);

/** Looks up the failed sign-in behind the reference that a page showed. */
export const failedSignInOperations = [
  failedSignIns("get", "/api/v1/sign-ins/{reference}", "getFailedSignIn", {
    summary: "Explain a failed sign-in",
    description:
      "The sign-in is identified by the reference that the page showed, or by the GUID of the request. Records are kept for seven days, at most the latest 32,768.",
    request: {
      path: Type.Object({
        reference: Type.String({
          minLength: 1,
          maxLength: 64,
          description: "Reference as the page showed it, such as `7d3f91ac-20b4`, or the GUID of the request.",
        }),
      }),
    },
    answers: {
      200: jsonAnswer("The failed sign-in.", FailedSignInRecord),
      404: errorAnswer("No failed sign-in with this reference is stored."),
    },
  }),
];
