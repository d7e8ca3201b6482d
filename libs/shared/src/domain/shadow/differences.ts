import { type Static, Type } from "typebox";
import type { KeyedDigest } from "../../platform/crypto/keyed-digest.ts";
import { foldedName } from "../brute-force/index.ts";
import { chartProtocols } from "../rollups/index.ts";

/**
 * How the backends of `auth.shadow` may differ from those of `auth.backends`. `missing`: they do not know the account; `added`: only they
 * know it; `password`: their verdict on the password differs; `account`: the name of the account differs.
 */
export const differenceKinds = [
  "missing",
  "added",
  "password",
  "disabled",
  "account",
  "attributes",
  "second_factors",
] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

/** Protocols are counted by name as in the charts of sign-ins; all others together are `other`. */
export type ShadowProtocol = (typeof chartProtocols)[number];
export const shadowProtocols: readonly ShadowProtocol[] = chartProtocols;

export function shadowProtocol(protocol: string): ShadowProtocol {
  return shadowProtocols.find((known) => known === protocol) ?? "other";
}

const Side = Type.Array(Type.String());

/** One difference of an account, as it was last seen. `old`: what the backends that decide say; `new`: what those of the shadow say. */
export const Difference = Type.Object({
  account: Type.String(),
  /** As sent. */
  protocol: Type.String(),
  old: Type.Optional(Type.String()),
  new: Type.Optional(Type.String()),
  /** Names and keyed digests of the values, which show whether two values are equal and nothing else. */
  attributes: Type.Optional(Type.Array(Type.Object({ name: Type.String(), old: Side, new: Side }))),
});
export type Difference = Static<typeof Difference>;

const digestLength = 16;

/** The part of a place that is the same for all differences of an account. `digest` has the same key at every engine. */
export const accountDigest = (account: string, digest: KeyedDigest): string =>
  digest(foldedName(account), "base64url").slice(0, digestLength);

/** Where a difference is kept: one of each kind for an account and a protocol. */
export function differencePlace(kind: DifferenceKind, protocol: ShadowProtocol, ofAccount: string): string {
  return `${kind} ${protocol} ${ofAccount}`;
}

/** Undefined for what another version wrote. */
export function readPlace(place: string) {
  const [kind, protocol, digest] = place.split(" ");
  const known = differenceKinds.find((one) => one === kind);
  return known === undefined || protocol === undefined || digest === undefined
    ? undefined
    : { kind: known, protocol, digest };
}

/** Requests that were not compared, by reason. */
export const omissions = ["undecided_old", "undecided_new", "dropped"] as const;
export type Omission = (typeof omissions)[number];

/** Names of the counts in Redis. */
export const totalFields = {
  compared: "compared",
  different: "different",
  kind: (kind: DifferenceKind) => `kind:${kind}`,
  protocol: (protocol: ShadowProtocol, count: "compared" | "different") => `protocol:${protocol}:${count}`,
  domain: (domain: string, count: "compared" | "different") => `domain:${domain}:${count}`,
  /** Times (ms since the epoch) of the first and the last batch. */
  since: "since",
  last: "last",
} as const;
