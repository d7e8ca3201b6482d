import { type Static, Type } from "typebox";
import { maxRecoveryCodes } from "../mfa/recovery-codes.ts";

/** Members that every operation on second factors has. */
const target = {
  username: Type.String({ minLength: 1, maxLength: 1024 }),
  backend: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "Kind of backend: ldap, sql or lua. If empty, the backend that holds the account.",
    }),
  ),
  backend_name: Type.Optional(
    Type.String({ maxLength: 256, description: "Name of the backend within its kind. If empty, any." }),
  ),
};

const credential = Type.String({ minLength: 2, maxLength: 16_384, description: "A JSON object as text." });

export const MfaBackchannelUser = Type.Object(target, { title: "MfaBackchannelUser" });
export type MfaBackchannelUser = Static<typeof MfaBackchannelUser>;

export const MfaBackchannelTotp = Type.Object(
  {
    ...target,
    totp_secret: Type.String({ minLength: 1, maxLength: 2048, description: "Base32, or an otpauth URL." }),
  },
  { title: "MfaBackchannelTotp" },
);

export const MfaBackchannelRecoveryCodes = Type.Object(
  {
    ...target,
    codes: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: maxRecoveryCodes }),
  },
  { title: "MfaBackchannelRecoveryCodes" },
);

export const MfaBackchannelCredential = Type.Object({ ...target, credential }, { title: "MfaBackchannelCredential" });

/** One passkey, by the `id` of its credential. */
export const MfaBackchannelPasskey = Type.Object(
  { ...target, id: Type.String({ minLength: 1, maxLength: 2048, description: "`id` of the credential." }) },
  { title: "MfaBackchannelPasskey" },
);

export const MfaBackchannelAppPassword = Type.Object(
  { ...target, id: Type.String({ pattern: "^[0-9a-f]{16}$" }) },
  { title: "MfaBackchannelAppPassword" },
);

/** `credential` replaces `old_credential` only if that is still stored, byte for byte. */
export const MfaBackchannelReplacement = Type.Object(
  { ...target, credential, old_credential: credential },
  { title: "MfaBackchannelReplacement" },
);

export const MfaBackchannelDone = Type.Object({ status: Type.Literal("ok") }, { title: "MfaBackchannelDone" });
export type MfaBackchannelDone = Static<typeof MfaBackchannelDone>;

export const MfaBackchannelUnlock = Type.Object({ username: target.username }, { title: "MfaBackchannelUnlock" });
export type MfaBackchannelUnlock = Static<typeof MfaBackchannelUnlock>;

const wrongCodes = Type.Optional(Type.Integer({ minimum: 1 }));

export const MfaBackchannelUnlocked = Type.Object(
  {
    status: Type.Literal("ok"),
    wrong_codes: Type.Object(
      { totp: wrongCodes, recovery: wrongCodes },
      { description: "Number of consecutive wrong codes before the reset, for each factor that had any." },
    ),
  },
  { title: "MfaBackchannelUnlocked" },
);
export type MfaBackchannelUnlocked = Static<typeof MfaBackchannelUnlocked>;

/** Each credential exactly as stored. */
export const MfaBackchannelCredentials = Type.Object(
  { credentials: Type.Array(Type.String()) },
  { title: "MfaBackchannelCredentials" },
);
export type MfaBackchannelCredentials = Static<typeof MfaBackchannelCredentials>;

/** What second factors a user has; no secrets. */
export const MfaBackchannelFactors = Type.Object(
  {
    account: Type.String({ description: "Name of the account in its backend." }),
    totp: Type.Boolean({ description: "Whether there is a TOTP secret." }),
    recovery_codes_left: Type.Integer({ minimum: 0 }),
    passkeys: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String({ description: "Name that the user gave it; empty if none." }),
      }),
    ),
    app_passwords: Type.Integer({ minimum: 0, description: "Number of app passwords." }),
  },
  { title: "MfaBackchannelFactors" },
);
export type MfaBackchannelFactors = Static<typeof MfaBackchannelFactors>;
