import { type Static, type TSchema, Type } from "typebox";
import { optionalText, text } from "../schema.ts";

/** The account and backend of second factors, in every method. */
export const mfaTarget = {
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
