import { Type } from "typebox";
import { text } from "../schema.ts";
import { selfServiceFamily } from "./families.ts";
import { csrfToken, page, pagesWith, sentTo } from "./page-operation.ts";

const selfService = pagesWith({ family: selfServiceFamily, tag: "Self-service", security: "browser_session" });
const signedOut = page("The browser is not signed in.");
const confirmed = (title: string) => Type.Object({ csrf_token: csrfToken }, { title });

/** "Was this you?" */
export const suspiciousSignInOperations = [
  selfService("get", "/mfa/suspicious-sign-ins", "suspiciousSignInsPage", {
    summary: "Ask the user whether suspicious sign-ins were theirs",
    answers: { 200: page("The page."), 401: signedOut },
  }),
  selfService("post", "/mfa/suspicious-sign-ins/{id}/confirm", "confirmSuspiciousSignIn", {
    summary: "Confirm that a suspicious sign-in was the user's own",
    pathFields: Type.Object({ id: text("Digest of the network of the sign-in.") }),
    form: confirmed("SignInConfirmationForm"),
    answers: {
      302: sentTo("Redirect to the list, or to a sign-in with the second factor."),
      400: page("Neither a second factor nor a device that was known before the sign-in proves it."),
      401: signedOut,
    },
  }),
  selfService("post", "/mfa/suspicious-sign-ins/secure", "secureAccount", {
    summary: "End all other sessions, tokens and app passwords",
    form: confirmed("SecureAccountForm"),
    answers: {
      302: sentTo("Redirect to the list, which links to the page for changing the password."),
      401: signedOut,
    },
  }),
];
