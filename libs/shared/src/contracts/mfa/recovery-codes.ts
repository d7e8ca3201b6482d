import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** Maximum number of codes of an account. */
export const maxRecoveryCodes = 32;

/** Replaces all recovery codes by these. They are stored as hashes and cannot be read again. */
export const mfaRecoveryCodesSet = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-recovery-set",
  major: 1,
  request: Type.Object({
    ...mfaTarget,
    codes: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: maxRecoveryCodes }),
  }),
  reply: orRefusal(mfaDone),
});

export const mfaRecoveryCodesDelete = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-recovery-delete",
  major: 1,
  request: MfaTarget,
  reply: orRefusal(mfaDone),
});

/**
 * Uses a recovery code. Of any number of simultaneous requests, at any number of engines, one is `ok`; the
 * others are `rejected`, like an unknown code. A code is also used if the answer is lost.
 */
export const mfaRecoveryCodeRedeem = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-recovery-redeem",
  major: 1,
  request: Type.Object({ ...mfaTarget, code: Type.String({ minLength: 1, maxLength: 128 }) }),
  reply: orRefusal(
    Type.Object({ outcome: Type.Literal("ok"), left: Type.Integer({ minimum: 0 }) }),
    Type.Object({ outcome: Type.Literal("rejected") }),
  ),
});
