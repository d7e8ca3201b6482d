import { type Static, Type } from "typebox";
import { flag, list, oneOf, optional, optionalFlag, optionalText, text } from "../schema.ts";
import { optionalMembers } from "./fields.ts";

/**
 * A protocol name in its canonical form: lower case and trimmed, because mail servers and configurations write both `IMAP` and `imap`.
 */
export function normalisedProtocol(name: string): string {
  return name.trim().toLowerCase();
}

/** This counts UTF-16 code units: two addresses of maximum length (RFC 5321, 254), as in the login of a master user. */
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
export const AuthOperation = oneOf("authenticate", "lookup", "list-accounts");
export type AuthOperation = Static<typeof AuthOperation>;

/** More engines than any configuration lets pass a request on (`max_hops`). */
const maxHops = 16;

/** Engines that have passed a request on to another server (ADR 0264), the first one first. */
export const hops = Type.Array(Type.String(), {
  maxItems: maxHops,
  description: "Identifiers of the engines that have passed the request on. Absent: none has.",
});

const hopList = new RegExp(`^[0-9a-f]{12}(?:, ?[0-9a-f]{12}){0,${maxHops - 1}}$`);

/** Reads the header of a request with its hops; undefined if it is not such a list. */
export function parseHops(header: string): string[] | undefined {
  return hopList.test(header) ? header.split(/, ?/) : undefined;
}

/** The endpoint that received the request. */
export const Dialect = oneOf("json", "cbor", "header", "basic", "proxy", "sasl", "grpc", "jwt", "idp", "auth_policy");
export type Dialect = Static<typeof Dialect>;

/** The `ssl_*` fields exactly as the API caller sent them, for policies and logs. */
export const TlsDetails = Type.Object(optionalMembers("tls"));
export type TlsDetails = Static<typeof TlsDetails>;

const domainName = Type.String({ maxLength: 253 });

/** What the API caller of a request may reach, and means by a name without a domain. Absent in requests of earlier versions. */
export const ofCaller = {
  callerDomains: optional(
    list("Accounts of other domains are unknown to the caller. Absent: it may reach all.", domainName),
  ),
  defaultDomain: Type.Optional(domainName),
};

/**
 * One authentication request, independent of its dialect.
 *
 * Absent means that the caller did not send it; an empty string never stands for absence. `password` is absent for lookups. The password
 * travels as text on the bus only; the receiver wraps it in a `Secret` before any other code sees it.
 */
export const AuthRequest = Type.Object({
  ...optionalMembers("text"),
  session: text("GUID of the request, X-Service-Session.", { minLength: 1, maxLength: 64 }),
  operation: AuthOperation,
  dialect: Dialect,
  username: text("User name. Empty in a list-accounts request that names none."),
  protocol: Type.String({ minLength: 1 }),
  clientIpIsPeer: optionalFlag(
    "Whether neither the API caller nor a proxy named the client. clientIp is then the API caller's own address.",
  ),
  userAgentIsCaller: optionalFlag(
    "Whether userAgent is the API caller's own, because the caller named no program of the user.",
  ),
  loginAttempt: Type.Optional(Type.Integer({ minimum: 0 })),
  tls: flag("Field ssl: any non-empty value means TLS."),
  tlsDetails: Type.Optional(TlsDetails),
  acceptLanguage: Type.Optional(Type.String()),
  hidesOutcome: optionalFlag(
    "Whether the user sees only after the second factor that the password was wrong (delayed_response). Delays then do not depend on the password.",
  ),
  device: optionalText("Digest of the browser's device cookie, for the score of the sign-in. Only for dialect idp.", {
    maxLength: 64,
  }),
  hops: Type.Optional(hops),
  ...ofCaller,
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
