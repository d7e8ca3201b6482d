import { type Static, Type } from "typebox";
import { flag, optionalFlag, optionalText, text } from "../schema.ts";

/**
 * A protocol name in its canonical form: lower case and trimmed, because mail servers and configurations write both `IMAP` and `imap`.
 */
export function normalisedProtocol(name: string): string {
  return name.trim().toLowerCase();
}

/** In UTF-16 code units: two addresses of maximum length (RFC 5321, 254), as in the login of a master user. */
export const maxUserNameLength = 512;

/** C0, DEL and C1. */
// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Why a user name is invalid, as a sentence for the caller; undefined for a valid name. Every way to sign in uses this
 * check: the dialects of the back channel in all modes, gRPC, the sign-in pages and the JWT endpoint.
 */
export function userNameFault(name: string): string | undefined {
  if (name.length > maxUserNameLength) return `username is longer than ${maxUserNameLength} characters`;
  if (controlCharacter.test(name)) return "username has control characters";
  return name.isWellFormed() ? undefined : "username is not valid Unicode";
}

/** The operation: `mode` (none, `no-auth`, `list-accounts`). */
export const AuthOperation = Type.Union([
  Type.Literal("authenticate"),
  Type.Literal("lookup"),
  Type.Literal("list-accounts"),
]);
export type AuthOperation = Static<typeof AuthOperation>;

/** The endpoint that received the request. */
export const Dialect = Type.Union([
  Type.Literal("json"),
  Type.Literal("cbor"),
  Type.Literal("header"),
  Type.Literal("basic"),
  Type.Literal("proxy"),
  Type.Literal("sasl"),
  Type.Literal("grpc"),
  Type.Literal("jwt"),
  Type.Literal("idp"),
  Type.Literal("auth_policy"),
]);
export type Dialect = Static<typeof Dialect>;

/** The `ssl_*` fields exactly as the API caller sent them, for policies and logs. */
export const TlsDetails = Type.Object({
  sessionId: Type.Optional(Type.String()),
  clientVerify: Type.Optional(Type.String()),
  clientDn: Type.Optional(Type.String()),
  clientCn: Type.Optional(Type.String()),
  issuer: Type.Optional(Type.String()),
  clientNotBefore: Type.Optional(Type.String()),
  clientNotAfter: Type.Optional(Type.String()),
  subjectDn: Type.Optional(Type.String()),
  issuerDn: Type.Optional(Type.String()),
  clientSubjectDn: Type.Optional(Type.String()),
  clientIssuerDn: Type.Optional(Type.String()),
  protocol: Type.Optional(Type.String()),
  cipher: Type.Optional(Type.String()),
  serial: Type.Optional(Type.String()),
  fingerprint: Type.Optional(Type.String()),
});
export type TlsDetails = Static<typeof TlsDetails>;

/**
 * One authentication request, independent of its dialect.
 *
 * Absent means that the caller did not send it; an empty string never stands for absence. `password` is absent for lookups. The password
 * travels as text on the bus only; the receiver wraps it in a `Secret` before any other code sees it.
 */
export const AuthRequest = Type.Object({
  session: text("GUID of the request, X-Service-Session.", { minLength: 1, maxLength: 64 }),
  operation: AuthOperation,
  dialect: Dialect,
  username: text("User name. Empty in a list-accounts request that names none."),
  password: Type.Optional(Type.String()),
  protocol: Type.String({ minLength: 1 }),
  method: Type.Optional(Type.String()),
  clientIp: Type.Optional(Type.String()),
  clientIpIsPeer: optionalFlag(
    "Whether neither the API caller nor a proxy named the client. clientIp is then the API caller's own address.",
  ),
  clientPort: Type.Optional(Type.String()),
  clientHostname: Type.Optional(Type.String()),
  clientId: Type.Optional(Type.String()),
  externalSessionId: Type.Optional(Type.String()),
  userAgent: Type.Optional(Type.String()),
  userAgentIsCaller: optionalFlag(
    "Whether userAgent is the API caller's own, because the caller named no program of the user.",
  ),
  localIp: Type.Optional(Type.String()),
  localPort: Type.Optional(Type.String()),
  loginAttempt: Type.Optional(Type.Integer({ minimum: 0 })),
  tls: flag("Field ssl: any non-empty value means TLS."),
  tlsDetails: Type.Optional(TlsDetails),
  oidcClientId: Type.Optional(Type.String()),
  acceptLanguage: Type.Optional(Type.String()),
  hidesOutcome: optionalFlag(
    "Whether the user sees only after the second factor that the password was wrong (delayed_response). Delays then do not depend on the password.",
  ),
  device: optionalText("Digest of the browser's device cookie, for the score of the sign-in. Only for dialect idp.", {
    maxLength: 64,
  }),
  memoryCache: flag("false with the query parameter in-memory=0."),
  sharedCache: flag("false with the query parameter cache=0."),
});
export type AuthRequest = Static<typeof AuthRequest>;

const maxCharacters = 64;

/**
 * The user's mail program or browser, as the mail server or the sign-in pages name it; empty if they do not. The User-Agent of an API caller
 * names the caller, not a program of the user.
 */
export function programOf({
  clientId,
  userAgent,
  userAgentIsCaller,
}: Pick<AuthRequest, "clientId" | "userAgent" | "userAgentIsCaller">): string {
  const own = userAgentIsCaller === true ? "" : userAgent;
  return (clientId || own || "").slice(0, maxCharacters);
}
