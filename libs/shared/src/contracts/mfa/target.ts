import { type Static, type TSchema, Type } from "typebox";

/** Whose second factors, and where: what every method about them is told. */
export const mfaTarget = {
  session: Type.String({ minLength: 1, maxLength: 64, description: "request GUID, X-Service-Session" }),
  username: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: "as users type it; its directory finds the account",
  }),
  backend: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "ldap, sql or lua; absent or empty: the directory that holds the account",
    }),
  ),
  backendName: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "the name within its kind, such as an LDAP pool; absent or empty: any",
    }),
  ),
  protocol: Type.Optional(
    Type.String({
      maxLength: 256,
      description: "picks the directory's search; absent: `mfa`, else any search that finds the user",
    }),
  ),
};

export const MfaTarget = Type.Object(mfaTarget);
export type MfaTarget = Static<typeof MfaTarget>;

/**
 * Why nothing was done. A directory that cannot answer is no refusal: it is thrown, and the same request may succeed
 * later. `unknown_backend`: no such kind or name in `auth.backends.order`. `unsupported`: the directory that holds
 * the account keeps no artefacts of this kind. `invalid`: the value cannot be one, `detail` says why without it.
 */
export const MfaRefusal = Type.Object({
  outcome: Type.Union([
    Type.Literal("unknown_user"),
    Type.Literal("unknown_backend"),
    Type.Literal("unsupported"),
    Type.Literal("invalid"),
  ]),
  detail: Type.Optional(Type.String()),
});
export type MfaRefusal = Static<typeof MfaRefusal>;

export const mfaDone = Type.Object({ outcome: Type.Literal("ok") });

/** The schemas of a reply, a refusal among them. */
export function orRefusal<Replies extends TSchema[]>(...replies: [...Replies]) {
  return Type.Union([...replies, MfaRefusal]);
}
