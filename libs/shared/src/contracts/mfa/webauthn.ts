import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { text } from "../schema.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** Maximum number of credentials of an account. */
export const maxWebauthnCredentials = 32;

const credential = text("A JSON object as text, stored byte for byte.", { minLength: 2, maxLength: 16_384 });

export const mfaWebauthnList = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-webauthn-list",
  major: 1,
  repeatable: true,
  request: MfaTarget,
  reply: orRefusal(Type.Object({ outcome: Type.Literal("ok"), credentials: Type.Array(Type.String()) })),
});

/** `exists`: the same text, or a credential with the same `id`, is already stored. */
export const mfaWebauthnSave = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-webauthn-save",
  major: 1,
  request: Type.Object({ ...mfaTarget, credential }),
  reply: orRefusal(mfaDone, Type.Object({ outcome: Type.Literal("exists") })),
});

/**
 * Compare-and-set: `credential` replaces `oldCredential` only while that is stored, byte for byte. `conflict`: it is not, because it was
 * deleted or replaced in the meantime. Sign counts are raised this way, so that of two logins with the same count one is rejected.
 */
export const mfaWebauthnUpdate = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-webauthn-update",
  major: 1,
  request: Type.Object({ ...mfaTarget, credential, oldCredential: credential }),
  reply: orRefusal(mfaDone, Type.Object({ outcome: Type.Literal("conflict") })),
});

/** `absent`: no such text is stored. */
export const mfaWebauthnDelete = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-webauthn-delete",
  major: 1,
  request: Type.Object({ ...mfaTarget, credential }),
  reply: orRefusal(mfaDone, Type.Object({ outcome: Type.Literal("absent") })),
});
