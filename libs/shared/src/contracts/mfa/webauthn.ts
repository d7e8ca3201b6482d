import { Type } from "typebox";
import { defineMethod } from "../define.ts";
import { MfaTarget, mfaDone, mfaTarget, orRefusal } from "./target.ts";

/** Credentials that an account may have. */
export const maxWebauthnCredentials = 32;

const credential = Type.String({
  minLength: 2,
  maxLength: 16_384,
  description: "a JSON object in text, kept byte for byte",
});

export const mfaWebauthnList = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-webauthn-list",
  major: 1,
  request: MfaTarget,
  reply: orRefusal(Type.Object({ outcome: Type.Literal("ok"), credentials: Type.Array(Type.String()) })),
});

/** `exists`: the very same text is stored already, or a credential of the same `id`. */
export const mfaWebauthnSave = defineMethod({
  service: "auth-engine",
  name: "mfa-artefacts-webauthn-save",
  major: 1,
  request: Type.Object({ ...mfaTarget, credential }),
  reply: orRefusal(mfaDone, Type.Object({ outcome: Type.Literal("exists") })),
});

/**
 * Compare and set: `credential` replaces `oldCredential` only while that is stored, byte for byte. `conflict`: it is
 * not, because it was deleted or somebody else replaced it. A sign count is raised by this, so that of two logins
 * that present the same count one is refused.
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
