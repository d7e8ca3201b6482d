import type { TokenMechanism } from "../pipeline/attempt.ts";

/** The content of the password field of a sign-in by token. */
export interface BearerCredential {
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
