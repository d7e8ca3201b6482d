import { digestOf, matchesDigest, type Secret } from "@postern/shared/crypto";

export interface BasicCredentials {
  readonly username: string;
  readonly password: Secret;
}

/** Whether an `Authorization` value holds the configured Basic credentials (RFC 7617, UTF-8). */
export type BasicCheck = (authorization: string) => boolean;

const scheme = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/** The digest of the right credentials is made once; a check costs one hash and one comparison in constant time. */
export function createBasicCheck({ username, password }: BasicCredentials): BasicCheck {
  const expected = digestOf(`${username}:${password.reveal()}`);
  return (authorization) => {
    const match = scheme.exec(authorization);
    // A malformed value is compared too, so that its answer takes as long.
    const credentials = match === null ? "" : Buffer.from(match[1] ?? "", "base64").toString("utf8");
    return matchesDigest(credentials, expected) && match !== null;
  };
}
