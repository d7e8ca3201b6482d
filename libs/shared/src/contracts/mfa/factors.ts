import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { mfaTarget, orRefusal } from "./target.ts";

/**
 * What second factors an account has. With `secrets` the TOTP secret comes along, for who verifies a code; without,
 * a reader learns only that there is one.
 */
export const mfaFactorsRead = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-read",
  major: 1,
  request: Type.Object({ ...mfaTarget, secrets: Type.Optional(Type.Boolean()) }),
  reply: orRefusal(
    Type.Object({
      outcome: Type.Literal("ok"),
      account: Type.String({ description: "canonical account name" }),
      backend: Type.Integer({ description: "the contract's number of the kind of directory" }),
      backendName: Type.String({ description: "the directory's entry in auth.backends.order" }),
      displayName: Type.Optional(Type.String()),
      uniqueUserId: Type.Optional(Type.String({ description: "stable over renames; user handle of WebAuthn, sub" })),
      hasTotp: Type.Boolean(),
      totpSecret: Type.Optional(Type.String({ description: "base32, or an otpauth URL as it was provisioned" })),
      recoveryCodesLeft: Type.Integer({ minimum: 0 }),
      webauthnCredentials: Type.Array(Type.String(), { description: "JSON, as it is stored, byte for byte" }),
      appPasswords: Type.Integer({ minimum: 0 }),
    }),
  ),
});
