import type { Static } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, temporaryFailure } from "../operations/answers.ts";
import { component, text, time } from "../schema.ts";
import { consoleApi } from "./family.ts";

export const InvitationRequest = component("InvitationRequest", {
  username: text("Account or alias of the operator.", { minLength: 1, maxLength: 1024 }),
});

export const Invitation = component("Invitation", {
  account: text("Account that the code is for."),
  code: text("The code. It is shown once, and works once."),
  expires: time("When the code expires."),
});
export type Invitation = Static<typeof Invitation>;

export const invitationOperations = [
  consoleApi("post", "/api/v1/console/invitations", "inviteOperator", {
    anyScope: ["admin"],
    summary: "Create a code that admits a new operator to the console",
    description:
      "The operator enters the code at the first sign-in to the console, which then accepts the second factor of this sign-in. A new code replaces the previous one of the account. Assigns no role. Audited as console.invite.",
    request: jsonBody(InvitationRequest),
    answers: {
      200: jsonAnswer("The code.", Invitation),
      400: errorAnswer("The body is invalid, or no backend has the account."),
      500: temporaryFailure,
    },
  }),
];
