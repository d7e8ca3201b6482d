import { type Static, Type } from "typebox";
import { defineMethod } from "../define.ts";
import { text } from "../schema.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** Maximum number of app passwords of an account. */
export const maxAppPasswords = 32;

/** Maximum length of the label of an app password. */
export const maxLabelLength = 64;

const id = Type.String({ pattern: "^[0-9a-f]{16}$" });
const label = text("Label that the user gave the device.", { minLength: 1, maxLength: maxLabelLength });
const protocols = Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
  maxItems: 32,
  description: "Protocols for which it may be used. Empty: all.",
});

/** An app password without its secret. Times are epoch seconds; `lastUsedAt` is accurate to one hour. */
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
  repeatable: true,
  request: MfaTarget,
  reply: orRefusal(Type.Object({ outcome: Type.Literal("ok"), appPasswords: Type.Array(AppPassword) })),
});

/** Creates an app password. `password` is returned only here; only its digest is stored. `full`: the maximum is reached. */
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
