import { timingSafeEqual } from "node:crypto";
import { digestOf, matchesDigest, type Secret } from "@postern/shared/crypto";

export interface BasicCredentials {
  readonly username: string;
  readonly password: Secret;
}

/** Whether an `Authorization` value holds the configured Basic credentials (RFC 7617, UTF-8). */
export type BasicCheck = (authorization: string) => boolean;

const scheme = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/**
 * Whether a header is this text, in a time that tells nothing of the text but how long it may be at least. Most callers
 * send the same bytes each time: this spares them decoding and hash.
 */
function createSpellingCheck(expected: string): BasicCheck {
  const right = Buffer.from(expected, "latin1");
  const given = Buffer.alloc(right.length);
  return (authorization) => {
    given.fill(0);
    given.write(authorization, "latin1");
    return timingSafeEqual(given, right) && authorization.length === right.length;
  };
}

/** The digest of the right credentials is made once; any spelling of them costs one hash and one comparison in constant time. */
export function createBasicCheck({ username, password }: BasicCredentials): BasicCheck {
  const right = `${username}:${password.reveal()}`;
  const expected = digestOf(right);
  const isUsualSpelling = createSpellingCheck(`Basic ${Buffer.from(right, "utf8").toString("base64")}`);
  return (authorization) => {
    if (isUsualSpelling(authorization)) return true;
    const match = scheme.exec(authorization);
    // A malformed value is compared too, so that its answer takes as long.
    const credentials = match === null ? "" : Buffer.from(match[1] ?? "", "base64").toString("utf8");
    return matchesDigest(credentials, expected) && match !== null;
  };
}
