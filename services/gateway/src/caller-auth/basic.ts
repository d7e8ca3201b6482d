import { timingSafeEqual } from "node:crypto";
import { digestOf, matchesDigest, type Secret } from "@postern/shared/platform/crypto";

export interface BasicCredentials {
  readonly username: string;
  readonly password: Secret;
}

/** Whether an `Authorization` value contains the configured Basic credentials (RFC 7617, UTF-8). */
export type BasicCheck = (authorization: string) => boolean;

const scheme = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/**
 * Compares a header with this text; the time reveals at most its minimum length. Most callers send the same bytes each time, which saves
 * decoding and hashing.
 */
function createSpellingCheck(expected: string): BasicCheck {
  const right = Buffer.from(expected, "latin1");
  const received = Buffer.alloc(right.length);
  return (authorization) => {
    received.fill(0);
    received.write(authorization, "latin1");
    return timingSafeEqual(received, right) && authorization.length === right.length;
  };
}

/**
 * The digest of the correct credentials is computed once; any other spelling costs one hash and one constant-time comparison.
 */
export function createBasicCheck({ username, password }: BasicCredentials): BasicCheck {
  const right = `${username}:${password.reveal()}`;
  const expected = digestOf(right);
  const isUsualSpelling = createSpellingCheck(`Basic ${Buffer.from(right, "utf8").toString("base64")}`);
  return (authorization) => {
    if (isUsualSpelling(authorization)) return true;
    const match = scheme.exec(authorization);
    // A malformed value is compared too, so that rejecting it takes as long.
    const credentials = match === null ? "" : Buffer.from(match[1] ?? "", "base64").toString("utf8");
    return matchesDigest(credentials, expected) && match !== null;
  };
}
