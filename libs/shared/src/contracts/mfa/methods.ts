import { type Static, type TProperties, type TSchema, Type } from "typebox";
import { type BusMethod, engineMethod } from "../define.ts";
import { integer, oneOf, optionalFlag, optionalText, text, texts } from "../schema.ts";

/** The account and backend of second factors, in every method. */
const mfaTarget = {
  session: text("GUID of the request, X-Service-Session.", { minLength: 1, maxLength: 64 }),
  username: text("User name as the user enters it. The backend resolves it to the account.", {
    minLength: 1,
    maxLength: 1024,
  }),
  backend: optionalText("Kind of backend: ldap, sql or lua. Absent or empty: the backend that holds the account.", {
    maxLength: 256,
  }),
  backendName: optionalText("Name within the kind, such as an LDAP pool. Absent or empty: any.", { maxLength: 256 }),
  protocol: optionalText(
    "Protocol that selects the search of the backend. Absent: `mfa`, otherwise any search that finds the user.",
    { maxLength: 256 },
  ),
};

export const MfaTarget = Type.Object(mfaTarget);
export type MfaTarget = Static<typeof MfaTarget>;

/**
 * Why nothing was changed. An unavailable backend is not a refusal but an error, and the same request may succeed
 * later. `unknown_backend`: no such kind or name in `auth.backends.order`. `unsupported`: the backend that holds
 * the account does not store this kind. `invalid`: the value is not valid; `detail` says why without quoting it.
 */
export const MfaRefusal = Type.Object({
  outcome: oneOf("unknown_user", "unknown_backend", "unsupported", "invalid"),
  detail: Type.Optional(Type.String()),
});
export type MfaRefusal = Static<typeof MfaRefusal>;

const outcome = <const Outcome extends string>(name: Outcome) => Type.Object({ outcome: Type.Literal(name) });
const mfaDone = outcome("ok");

/** A method on the second factors of an account. Each may be refused. */
function mfaMethod<Fields extends TProperties, Replies extends TSchema[]>(
  name: string,
  fields: Fields,
  ...replies: [...Replies]
) {
  const request = Type.Object({ ...mfaTarget, ...fields });
  return engineMethod(`mfa-artefacts-${name}`, request, Type.Union([...replies, MfaRefusal]));
}

const repeatable = <Method extends BusMethod>(method: Method): Method => Object.freeze({ ...method, repeatable: true });

/**
 * What second factors an account has. With `secrets`, the TOTP secret is included, to verify a code. Without it,
 * the reader learns only that there is one.
 */
export const mfaFactorsRead = repeatable(
  mfaMethod(
    "read",
    {
      secrets: Type.Optional(Type.Boolean()),
      hidesUnknown: optionalFlag("The user must not learn from the time whether the account exists."),
      credentialId: optionalText(
        "Id of a WebAuthn credential, in base64url without padding. The account is then the one that holds it, whatever its name; username is only the name under which it is searched for first.",
        { maxLength: 1400 },
      ),
    },
    Type.Object({
      outcome: Type.Literal("ok"),
      account: text("Canonical account name."),
      backend: integer("Number of the kind of backend."),
      backendName: text("Entry of the backend in auth.backends.order."),
      displayName: Type.Optional(Type.String()),
      uniqueUserId: optionalText("Identifier that survives renames. The OIDC subject is derived from it."),
      hasTotp: Type.Boolean(),
      totpSecret: optionalText("Base32, or an otpauth URL as provisioned."),
      recoveryCodesLeft: Type.Integer({ minimum: 0 }),
      webauthnCredentials: texts("JSON, byte for byte as stored."),
      appPasswords: Type.Integer({ minimum: 0 }),
    }),
  ),
);

/** Replaces the TOTP secret: base32 of at least 10 bytes, spaces tolerated, or an otpauth URL. */
export const mfaTotpSet = mfaMethod("totp-set", { secret: Type.String({ minLength: 1, maxLength: 2048 }) }, mfaDone);

/** Deletes the TOTP secret. It is not an error if there is none. Recovery codes remain. */
export const mfaTotpDelete = mfaMethod("totp-delete", {}, mfaDone);

export const maxRecoveryCodes = 32;

/** Replaces all recovery codes by these. They are stored as hashes and cannot be read again. */
export const mfaRecoveryCodesSet = mfaMethod(
  "recovery-set",
  { codes: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { minItems: 1, maxItems: maxRecoveryCodes }) },
  mfaDone,
);

export const mfaRecoveryCodesDelete = mfaMethod("recovery-delete", {}, mfaDone);

/**
 * Uses a recovery code. Of any number of simultaneous requests, at any number of engines, one is `ok`; the
 * others are `rejected`, like an unknown code. A code is also used if the answer is lost.
 */
export const mfaRecoveryCodeRedeem = mfaMethod(
  "recovery-redeem",
  { code: Type.String({ minLength: 1, maxLength: 128 }) },
  Type.Object({ outcome: Type.Literal("ok"), left: Type.Integer({ minimum: 0 }) }),
  outcome("rejected"),
);

export const maxWebauthnCredentials = 32;

const credential = text("A JSON object as text, stored byte for byte.", { minLength: 2, maxLength: 16_384 });

export const mfaWebauthnList = repeatable(
  mfaMethod("webauthn-list", {}, Type.Object({ outcome: Type.Literal("ok"), credentials: Type.Array(Type.String()) })),
);

/** `exists`: the same text, or a credential with the same `id`, is already stored. */
export const mfaWebauthnSave = mfaMethod("webauthn-save", { credential }, mfaDone, outcome("exists"));

/**
 * Compare-and-set: `credential` replaces `oldCredential` only while that is stored, byte for byte. `conflict`: it is not, because it was
 * deleted or replaced in the meantime. Sign counts are raised this way, so that of two logins with the same count one is rejected.
 */
export const mfaWebauthnUpdate = mfaMethod(
  "webauthn-update",
  { credential, oldCredential: credential },
  mfaDone,
  outcome("conflict"),
);

/** `absent`: no such text is stored. */
export const mfaWebauthnDelete = mfaMethod("webauthn-delete", { credential }, mfaDone, outcome("absent"));

export const maxAppPasswords = 32;

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

export const mfaAppPasswordsList = repeatable(
  mfaMethod(
    "app-passwords-list",
    {},
    Type.Object({ outcome: Type.Literal("ok"), appPasswords: Type.Array(AppPassword) }),
  ),
);

/** Creates an app password. `password` is returned only here; only its digest is stored. `full`: the maximum is reached. */
export const mfaAppPasswordCreate = mfaMethod(
  "app-password-create",
  { label, protocols },
  Type.Object({ outcome: Type.Literal("ok"), appPassword: AppPassword, password: Type.String() }),
  outcome("full"),
);

/** `absent`: the account has no such app password. */
export const mfaAppPasswordRevoke = mfaMethod("app-password-revoke", { id }, mfaDone, outcome("absent"));
