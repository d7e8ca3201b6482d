import { type Static, Type } from "typebox";
import { defineMethod } from "../define.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** App passwords that an account may have. */
export const maxAppPasswords = 32;

const id = Type.String({ pattern: "^[0-9a-f]{16}$" });
const label = Type.String({ minLength: 1, maxLength: 64, description: "the user's name for the device" });
const protocols = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 32,
  description: "protocols that it may be used with; empty: all",
});

/** What may be shown of an app password. Times are epoch seconds; `lastUsedAt` is exact to the hour. */
export const AppPassword = Type.Object({
  id,
  label,
  protocols,
  createdAt: Type.Integer(),
  lastUsedAt: Type.Optional(Type.Integer()),
});
export type AppPassword = Static<typeof AppPassword>;

export const mfaAppPasswordsList = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-app-passwords-list",
  major: 1,
  request: MfaTarget,
  reply: orRefusal(Type.Object({ outcome: Type.Literal("ok"), appPasswords: Type.Array(AppPassword) })),
});

/** Makes one. `password` is told this once: only its digest is kept. `full`: the account has as many as it may. */
export const mfaAppPasswordCreate = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-app-password-create",
  major: 1,
  request: Type.Object({ ...mfaTarget, label, protocols }),
  reply: orRefusal(
    Type.Object({ outcome: Type.Literal("ok"), appPassword: AppPassword, password: Type.String() }),
    Type.Object({ outcome: Type.Literal("full") }),
  ),
});

/** `absent`: the account has no such app password. */
export const mfaAppPasswordRevoke = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-app-password-revoke",
  major: 1,
  request: Type.Object({ ...mfaTarget, id }),
  reply: orRefusal(mfaDone, Type.Object({ outcome: Type.Literal("absent") })),
});
