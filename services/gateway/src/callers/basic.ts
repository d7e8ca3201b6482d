import { createSecretKey, randomBytes, timingSafeEqual } from "node:crypto";
import { actionsNamed } from "@postern/shared/contracts";
import type { CallerDomains } from "@postern/shared/domain/domains";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { type CidrSet, createCidrSet } from "@postern/shared/platform/net";
import { callerDomainsOf } from "./caller-domains.ts";

interface BasicCredentials<Owner> {
  readonly username: string;
  readonly password: Secret;
  readonly owner: Owner;
}

/** Whose Basic credentials an `Authorization` value contains (RFC 7617, UTF-8); undefined if no caller has them. */
type BasicLookup<Owner> = (authorization: string) => Owner | undefined;

const scheme = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/** Compares a header with one text; the time reveals at most its minimum length. */
function createSpellingCheck(expected: string): (authorization: string) => boolean {
  const right = Buffer.from(expected, "latin1");
  const received = Buffer.alloc(right.length);
  return (authorization) => {
    received.fill(0);
    received.write(authorization, "latin1");
    return timingSafeEqual(received, right) && authorization.length === right.length;
  };
}

/**
 * Finds credentials by their digest under a key of this process: the time of the search depends on the digest, which no client can
 * predict, and not on which part of the credentials is wrong or how many callers there are. Most callers send the same bytes each time, so
 * that spelling is looked up first, which saves decoding. The spelling of the caller recognised last is compared before any digest is
 * computed.
 */
function createBasicLookup<Owner>(known: readonly BasicCredentials<Owner>[]): BasicLookup<Owner> {
  const digest = createKeyedDigest(createSecretKey(randomBytes(32)));
  const decoded = new Map<string, Owner>();
  const spellings = known.map(({ username, password, owner }) => {
    const right = `${username}:${password.reveal()}`;
    const spelling = `Basic ${Buffer.from(right, "utf8").toString("base64")}`;
    decoded.set(digest(right, "binary"), owner);
    return [digest(spelling, "binary"), { owner, isIn: createSpellingCheck(spelling) }] as const;
  });
  const spelled = new Map(spellings);
  let before: (typeof spellings)[number][1] | undefined;
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

export function createBasicCheck(username: string, password: Secret): (authorization: string) => boolean {
  const find = createBasicLookup([{ username, password, owner: true }]);
  return (authorization) => find(authorization) === true;
}

export interface BasicCaller {
  readonly name: string;
  /** Absent: the credentials are accepted from everywhere. */
  readonly networks?: CidrSet;
  /** Absent: the caller is administrative. */
  readonly actions?: ReadonlySet<string>;
  /** Absent: the caller may reach all domains. */
  readonly domains?: CallerDomains;
}

type BackchannelConfig = Pick<Config["auth"]["backchannel"], "basic_auth" | "callers">;
type CallerConfig = BackchannelConfig["callers"][number];

function credentialsOf(config: CallerConfig): readonly BasicCredentials<BasicCaller>[] {
  const { name, networks, operations, password, next_password } = config;
  const domains = callerDomainsOf(config);
  const owner = {
    name,
    ...(domains !== undefined && { domains }),
    ...(networks.length > 0 && { networks: createCidrSet(networks) }),
    ...(operations.length > 0 && { actions: actionsNamed(operations) }),
  };
  return [password, next_password]
    .filter((text) => text !== "")
    .map((text) => ({ username: name, password: new Secret(text), owner }));
}

/** All callers by their credentials; undefined if none is configured. */
export function basicCallers({ basic_auth: pair, callers }: BackchannelConfig): BasicLookup<BasicCaller> | undefined {
  const { enabled, username, password } = pair;
  if (!enabled && callers.length === 0) return undefined;
  const single = enabled ? [{ username, password: new Secret(password), owner: { name: username } }] : [];
  return createBasicLookup([...single, ...callers.flatMap(credentialsOf)]);
}

export function basicCallerNames({ basic_auth: pair, callers }: BackchannelConfig): readonly string[] {
  return [...(pair.enabled ? [pair.username] : []), ...callers.map(({ name }) => name)];
}

/** Whether a caller may do this; `action` is undefined for a request that no operation serves. */
export function mayDo({ actions }: BasicCaller, action: string | undefined): boolean {
  return actions === undefined || (action !== undefined && actions.has(action));
}
