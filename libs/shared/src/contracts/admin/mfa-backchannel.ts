import { type Static, Type } from "typebox";
import { maxRecoveryCodes } from "../mfa/recovery-codes.ts";
import { component, flag, optionalText, text } from "../schema.ts";

/** Members that every operation on second factors has. */
const target = {
  username: Type.String({ minLength: 1, maxLength: 1024 }),
  backend: optionalText("Kind of backend: ldap, sql or lua. If empty, the backend that holds the account.", {
    maxLength: 256,
  }),
  backend_name: optionalText("Name of the backend within its kind. If empty, any.", { maxLength: 256 }),
};

const credential = text("A JSON object as text.", { minLength: 2, maxLength: 16_384 });

export const MfaBackchannelUser = component("MfaBackchannelUser", target);
export type MfaBackchannelUser = Static<typeof MfaBackchannelUser>;

export const MfaBackchannelTotp = component("MfaBackchannelTotp", {
  ...target,
  totp_secret: text("Base32, or an otpauth URL.", { minLength: 1, maxLength: 2048 }),
});

export const MfaBackchannelRecoveryCodes = component("MfaBackchannelRecoveryCodes", {
  ...target,
  codes: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: maxRecoveryCodes }),
});

export const MfaBackchannelCredential = component("MfaBackchannelCredential", { ...target, credential });

/** One passkey, by the `id` of its credential. */
export const MfaBackchannelPasskey = component("MfaBackchannelPasskey", {
  ...target,
  id: text("`id` of the credential.", { minLength: 1, maxLength: 2048 }),
});

export const MfaBackchannelAppPassword = component("MfaBackchannelAppPassword", {
  ...target,
  id: Type.String({ pattern: "^[0-9a-f]{16}$" }),
});

/** `credential` replaces `old_credential` only if that is still stored, byte for byte. */
export const MfaBackchannelReplacement = component("MfaBackchannelReplacement", {
  ...target,
  credential,
  old_credential: credential,
});

export const MfaBackchannelDone = component("MfaBackchannelDone", { status: Type.Literal("ok") });
export type MfaBackchannelDone = Static<typeof MfaBackchannelDone>;

export const MfaBackchannelUnlock = component("MfaBackchannelUnlock", { username: target.username });
export type MfaBackchannelUnlock = Static<typeof MfaBackchannelUnlock>;

const wrongCodes = Type.Optional(Type.Integer({ minimum: 1 }));

export const MfaBackchannelUnlocked = component("MfaBackchannelUnlocked", {
  status: Type.Literal("ok"),
  wrong_codes: Type.Object(
    { totp: wrongCodes, recovery: wrongCodes },
    { description: "Number of consecutive wrong codes before the reset, for each factor that had any." },
  ),
});
export type MfaBackchannelUnlocked = Static<typeof MfaBackchannelUnlocked>;

/** Each credential exactly as stored. */
export const MfaBackchannelCredentials = component("MfaBackchannelCredentials", {
  credentials: Type.Array(Type.String()),
});
export type MfaBackchannelCredentials = Static<typeof MfaBackchannelCredentials>;

/** What second factors a user has; no secrets. */
export const MfaBackchannelFactors = component("MfaBackchannelFactors", {
  account: text("Name of the account in its backend."),
  totp: flag("Whether there is a TOTP secret."),
  recovery_codes_left: Type.Integer({ minimum: 0 }),
  passkeys: Type.Array(
    Type.Object({
      id: Type.String(),
      name: text("Name that the user gave it; empty if none."),
    }),
  ),
  app_passwords: Type.Integer({ minimum: 0, description: "Number of app passwords." }),
});
export type MfaBackchannelFactors = Static<typeof MfaBackchannelFactors>;
