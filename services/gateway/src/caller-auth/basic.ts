import { createSecretKey, randomBytes, timingSafeEqual } from "node:crypto";
import { createKeyedDigest, type Secret } from "@postern/shared/platform/crypto";

export interface BasicCredentials {
  readonly username: string;
  readonly password: Secret;
}

/** Whether an `Authorization` value contains the configured Basic credentials (RFC 7617, UTF-8). */
export type BasicCheck = (authorization: string) => boolean;

/** Whose Basic credentials an `Authorization` value contains; undefined if no caller has them. */
export type BasicLookup<Owner> = (authorization: string) => Owner | undefined;

export interface OwnedCredentials<Owner> extends BasicCredentials {
  readonly owner: Owner;
}

const scheme = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/** Compares a header with one text; the time reveals at most its minimum length. */
function createSpellingCheck(expected: string): BasicCheck {
  const right = Buffer.from(expected, "latin1");
  const received = Buffer.alloc(right.length);
  return (authorization) => {
    received.fill(0);
    received.write(authorization, "latin1");
    return timingSafeEqual(received, right) && authorization.length === right.length;
  };
}

interface Spelling<Owner> {
  readonly owner: Owner;
  readonly isIn: BasicCheck;
}

/**
 * Finds credentials by their digest under a key of this process: the time of the search depends on the digest, which no client can
 * predict, and not on which part of the credentials is wrong or how many callers there are. Most callers send the same bytes each time, so
 * that spelling is looked up first, which saves decoding. The spelling of the caller recognised last is compared before any digest is
 * computed.
 */
export function createBasicLookup<Owner>(known: readonly OwnedCredentials<Owner>[]): BasicLookup<Owner> {
  const digest = createKeyedDigest(createSecretKey(randomBytes(32)));
  const spelled = new Map<string, Spelling<Owner>>();
  const decoded = new Map<string, Owner>();
  for (const { username, password, owner } of known) {
    const right = `${username}:${password.reveal()}`;
    const spelling = `Basic ${Buffer.from(right, "utf8").toString("base64")}`;
    spelled.set(digest(spelling, "binary"), { owner, isIn: createSpellingCheck(spelling) });
    decoded.set(digest(right, "binary"), owner);
  }
  let before: Spelling<Owner> | undefined;
  return (authorization) => {
    if (before?.isIn(authorization) === true) return before.owner;
    const usual = spelled.get(digest(authorization, "binary"));
    if (usual !== undefined) {
      before = usual;
      return usual.owner;
    }
    const match = scheme.exec(authorization);
    // A malformed value is looked up too, so that rejecting it takes as long.
    const credentials = match === null ? "" : Buffer.from(match[1] ?? "", "base64").toString("utf8");
    const found = decoded.get(digest(credentials, "binary"));
    return match === null ? undefined : found;
  };
}

export function createBasicCheck(credentials: BasicCredentials): BasicCheck {
  const find = createBasicLookup([{ ...credentials, owner: true }]);
  return (authorization) => find(authorization) === true;
}
