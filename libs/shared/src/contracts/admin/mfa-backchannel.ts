import { type Static, Type } from "typebox";
import { maxRecoveryCodes } from "../mfa/recovery-codes.ts";

/** Contract, "MFA backchannel storage": the fields of every operation. */
const target = {
  username: Type.String({ minLength: 1, maxLength: 1024 }),
  backend: Type.Optional(
    Type.String({ maxLength: 256, description: "ldap, sql or lua; empty: the directory that holds the account" }),
  ),
  backend_name: Type.Optional(Type.String({ maxLength: 256, description: "instance name; empty: any" })),
};

const credential = Type.String({ minLength: 2, maxLength: 16_384, description: "a JSON object in text" });

export const MfaBackchannelUser = Type.Object(target, { title: "MfaBackchannelUser" });
export type MfaBackchannelUser = Static<typeof MfaBackchannelUser>;

export const MfaBackchannelTotp = Type.Object(
  {
    ...target,
    totp_secret: Type.String({ minLength: 1, maxLength: 2048, description: "base32 or an otpauth URL" }),
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

/** `credential` takes the place of `old_credential` while that is stored byte for byte. */
export const MfaBackchannelReplacement = Type.Object(
  { ...target, credential, old_credential: credential },
  { title: "MfaBackchannelReplacement" },
);

export const MfaBackchannelDone = Type.Object({ status: Type.Literal("ok") }, { title: "MfaBackchannelDone" });
export type MfaBackchannelDone = Static<typeof MfaBackchannelDone>;

/** Each as it is stored, byte for byte. */
export const MfaBackchannelCredentials = Type.Object(
  { credentials: Type.Array(Type.String()) },
  { title: "MfaBackchannelCredentials" },
);
export type MfaBackchannelCredentials = Static<typeof MfaBackchannelCredentials>;
