import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, jsonBody, temporaryFailure } from "../operations/answers.ts";
import { consoleApi } from "./family.ts";

export const InvitationRequest = Type.Object(
  { username: Type.String({ minLength: 1, maxLength: 1024, description: "Account or alias of the operator." }) },
  { title: "InvitationRequest" },
);

export const Invitation = Type.Object(
  {
    account: Type.String({ description: "Account that the code is for." }),
    code: Type.String({ description: "The code. It is shown once, and works once." }),
    expires: Type.String({ format: "date-time", description: "When the code expires." }),
  },
  { title: "Invitation" },
);
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
