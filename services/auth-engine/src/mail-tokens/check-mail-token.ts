import { normalisedProtocol } from "@postern/shared/contracts";
import { comparableDomain, type Domain } from "@postern/shared/domain/domains";
import type { TokenVerdict, TokenVerifier, VerifiedToken } from "@postern/shared/domain/tokens";
import { unlessAborted } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import { canonicalName } from "@postern/shared/platform/net";
import type { TokenMechanism } from "../pipeline/attempt.ts";

/** The content of the password field of a sign-in by token. */
interface BearerCredential {
  readonly token: string;
  /** The user in the SASL message; undefined if it names none. */
  readonly username: string | undefined;
}

const separator = "\x01";
/** RFC 6750 §2.1, b64token. */
const bareToken = /^[A-Za-z0-9._~+/-]+=*$/;
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;
/** RFC 7628 §3.1, kvpair. */
const pair = /^([A-Za-z]+)=([\t\r\n\x20-\x7e]*)$/;
/** RFC 5801 §4 without channel binding: tokens are not bound to a channel. */
const gs2Header = /^[ny],(?:a=([^,]+))?,$/;

/** RFC 5801 §4, saslname: `=2C` is a comma and `=3D` an equals sign; no other `=` is allowed. */
function saslName(text: string): string | undefined {
  const unescaped = text.replaceAll("=2C", ",").replaceAll("=3D", "=");
  return /=(?!2C|3D)/.test(text) ? undefined : unescaped;
}

/** The pairs of a message, each name once; undefined if one of them is invalid. */
function pairsOf(parts: readonly string[]): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const part of parts) {
    const [, name, value] = pair.exec(part) ?? [];
    if (name === undefined || value === undefined || pairs.has(name)) return undefined;
    pairs.set(name, value);
  }
  return pairs;
}

function tokenOf(pairs: ReadonlyMap<string, string> | undefined): string | undefined {
  return bearer.exec(pairs?.get("auth") ?? "")?.[1];
}

function oauthBearerMessage(first: string, rest: readonly string[]): BearerCredential | undefined {
  const header = gs2Header.exec(first);
  const token = tokenOf(pairsOf(rest));
  if (header === null || token === undefined) return undefined;
  if (header[1] === undefined) return { token, username: undefined };
  const username = saslName(header[1]);
  return username === undefined ? undefined : { token, username };
}

function xoauth2Message(first: string, rest: readonly string[]): BearerCredential | undefined {
  const username = /^user=(.+)$/s.exec(first)?.[1];
  const token = tokenOf(pairsOf(rest));
  return username === undefined || token === undefined ? undefined : { token, username };
}

/**
 * A bare token, as mail servers pass it on, or the mechanism's whole first message: RFC 7628 §3.1
 * `n,a=<user>,^Aauth=Bearer <token>^A^A`, or of XOAUTH2 `user=<user>^Aauth=Bearer <token>^A^A`. Undefined for anything
 * else.
 */
export function readBearerCredential(text: string, mechanism: TokenMechanism): BearerCredential | undefined {
  if (bareToken.test(text)) return { token: text, username: undefined };
  if (!text.endsWith(separator + separator)) return undefined;
  const [first = "", ...rest] = text.slice(0, -2).split(separator);
  return mechanism === "oauthbearer" ? oauthBearerMessage(first, rest) : xoauth2Message(first, rest);
}

export interface MailTokenRequest {
  readonly mechanism: TokenMechanism;
  readonly username: string;
  /** Of the user; absent while all domains are decided by `auth.backends.order`. */
  readonly domain?: Domain | undefined;
  /** Normalised. */
  readonly protocol: string;
  /** The password field. */
  readonly credential: string;
  /** A name as its domain spells it; `username` is spelled so. Absent: as it is. */
  readonly spelled?: (name: string) => string | Promise<string>;
  /** The domain that serves a name. Absent while all domains are decided by `auth.backends.order`. */
  readonly serving?: (name: string) => Domain | Promise<Domain>;
}

/** Outcome of a check, for the metric. */
export const mailTokenOutcomes = [
  "ok",
  "invalid",
  "other_use",
  "other_user",
  "other_protocol",
  "other_domain",
  "unavailable",
] as const;
export type MailTokenOutcome = (typeof mailTokenOutcomes)[number];

export interface ProtocolLimit {
  /** The scope. */
  readonly name: string;
  readonly protocols: readonly string[];
}

/** What limits tokens beside their users. */
export interface TokenLimits {
  /** Scopes that limit a token: one with any of them is valid only for the protocols of those that it has. */
  readonly protocols: readonly ProtocolLimit[];
  /** Domains whose users may use a client, by client ID, for the clients that are limited to some. */
  readonly domains: ReadonlyMap<string, ReadonlySet<string>>;
}

/** What the record of the user's domain claims is no proof: customers may write it. */
async function isWithin(
  limits: TokenLimits["domains"],
  { clientId }: VerifiedToken,
  { username, domain, serving }: Pick<MailTokenRequest, "username" | "domain" | "serving">,
): Promise<boolean> {
  const limit = limits.get(clientId);
  if (limit === undefined) return true;
  if (domain?.isKnown === true) {
    for (const name of limit) {
      const listed = await serving?.(name);
      if (listed?.isKnown === true && listed.name === domain.name) return true;
    }
    return false;
  }
  return domain === undefined && limit.has(comparableDomain(username.slice(username.lastIndexOf("@") + 1)));
}

function permits(limits: readonly ProtocolLimit[], { scopes }: VerifiedToken, protocol: string): boolean {
  const own = limits.filter(({ name }) => scopes.includes(name));
  return (
    own.length === 0 || own.some(({ protocols }) => protocols.some((name) => normalisedProtocol(name) === protocol))
  );
}

const maxMessageLength = 16_384;

function undecidable(cause: "keys" | "revocation"): AppError {
  return cause === "keys"
    ? new AppError("UPSTREAM_UNAVAILABLE", { detail: "the keys that verify access tokens are unavailable" })
    : new AppError("REDIS_UNAVAILABLE", { detail: "the revocation state of access tokens is unavailable" });
}

interface Accepted {
  readonly username: string;
  readonly signedInAt: number | undefined;
}

/** What is wrong with a token that is valid and the user's own: whoever has it guesses nothing. */
const useless: ReadonlySet<MailTokenOutcome> = new Set(["other_protocol", "other_domain"]);

/**
 * The function returns what the token says (the user in the token's spelling, and `VerifiedToken.signedInAt`) if it is
 * valid and belongs to that user; `useless` if it is that, but not for this protocol or domain; otherwise undefined. It throws AppError UPSTREAM_UNAVAILABLE without keys,
 * REDIS_UNAVAILABLE without the revocation state, REQUEST_ABORTED if the caller left.
 *
 * @param ignoreCase `auth.oauthbearer.ignore_case`
 */
export function createMailTokenCheck(
  verifier: TokenVerifier,
  ignoreCase: boolean,
  limits: TokenLimits,
  observe: (outcome: MailTokenOutcome) => void,
) {
  const fold = (name: string): string => canonicalName(ignoreCase ? name.toLowerCase() : name);
  const isSame = (one: string, other: string): boolean => fold(one) === fold(other);

  const judged = async (
    verdict: TokenVerdict,
    request: Pick<MailTokenRequest, "username" | "protocol" | "domain" | "serving"> & { readonly isUser: boolean },
  ): Promise<{
    outcome: MailTokenOutcome;
    accepted?: Accepted;
  }> => {
    if (verdict.outcome === "unavailable") return { outcome: "unavailable" };
    if (verdict.outcome === "invalid") return { outcome: "invalid" };
    if (verdict.outcome === "wrong_token_type") return { outcome: "other_use" };
    const { username: name, signedInAt } = verdict.token;
    if (name === undefined || !request.isUser) return { outcome: "other_user" };
    if (!permits(limits.protocols, verdict.token, request.protocol)) return { outcome: "other_protocol" };
    if (!(await isWithin(limits.domains, verdict.token, request))) return { outcome: "other_domain" };
    return { outcome: "ok", accepted: { username: name, signedInAt } };
  };

  return async (
    { mechanism, username, credential, spelled = (name) => name, ...rest }: MailTokenRequest,
    context: { readonly signal: AbortSignal },
  ): Promise<Accepted | "useless" | undefined> => {
    const read = credential.length > maxMessageLength ? undefined : readBearerCredential(credential, mechanism);
    const isOwn = async (name = ""): Promise<boolean> =>
      isSame(name, username) || isSame(await spelled(name), username);
    if (read === undefined || !(await isOwn(read.username ?? username))) {
      observe(read === undefined ? "invalid" : "other_user");
      return undefined;
    }
    const verdict = await unlessAborted(Promise.resolve(verifier.verify(read.token)), context.signal);
    const isUser = verdict.outcome === "ok" && (await isOwn(verdict.token.username));
    const { outcome, accepted } = await judged(verdict, { username, ...rest, isUser });
    observe(outcome);
    if (verdict.outcome === "unavailable") throw undecidable(verdict.cause);
    return useless.has(outcome) ? "useless" : accepted;
  };
}

export type CheckMailToken = ReturnType<typeof createMailTokenCheck>;
