import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { optionalFlag, optionalText, text, texts } from "../schema.ts";
import { mfaTarget, orRefusal } from "./target.ts";

/**
 * What second factors an account has. With `secrets`, the TOTP secret is included, to verify a code. Without it,
 * the reader learns only that there is one.
 */
export const mfaFactorsRead = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-read",
  major: 1,
  repeatable: true,
  request: Type.Object({
    ...mfaTarget,
    secrets: Type.Optional(Type.Boolean()),
    hidesUnknown: optionalFlag("The user must not learn from the time whether the account exists."),
    credentialId: optionalText(
      "Id of a WebAuthn credential, in base64url without padding. The account is then the one that holds it, whatever its name; username is only the name under which it is searched for first.",
      { maxLength: 1400 },
    ),
  }),
  reply: orRefusal(
    Type.Object({
      outcome: Type.Literal("ok"),
      account: text("Canonical account name."),
      backend: Type.Integer({ description: "Number of the kind of backend." }),
      backendName: text("Entry of the backend in auth.backends.order."),
      displayName: Type.Optional(Type.String()),
      uniqueUserId: optionalText("Identifier that survives renames. The OIDC subject is derived from it."),
      hasTotp: Type.Boolean(),
      totpSecret: optionalText("Base32, or an otpauth URL as provisioned."),
      recoveryCodesLeft: Type.Integer({ minimum: 0 }),
      webauthnCredentials: texts("JSON, byte for byte as stored."),
      appPasswords: Type.Integer({ minimum: 0 }),
    }),
  ),
});
