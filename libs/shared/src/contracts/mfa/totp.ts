import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** Replaces the TOTP secret: base32 of at least 10 bytes, spaces tolerated, or an otpauth URL. */
export const mfaTotpSet = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-totp-set",
  major: 1,
  request: Type.Object({ ...mfaTarget, secret: Type.String({ minLength: 1, maxLength: 2048 }) }),
  reply: orRefusal(mfaDone),
});

/** Deletes the TOTP secret. It is not an error if there is none. Recovery codes remain. */
export const mfaTotpDelete = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-totp-delete",
  major: 1,
  request: MfaTarget,
  reply: orRefusal(mfaDone),
});
