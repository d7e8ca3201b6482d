import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** Codes that an account may have. */
export const maxRecoveryCodes = 32;

/** Replaces all recovery codes by these. They are stored as hashes: nobody reads them again. */
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
 * Uses one recovery code up. Of any number of simultaneous requests, at any number of engines, one is `ok`; the
 * others are `rejected`, as a code that was never given out is. An answer that got lost has used the code up too.
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
