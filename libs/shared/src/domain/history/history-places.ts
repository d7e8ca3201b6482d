import { hash } from "node:crypto";
import { historyIndexKey, historyRecordsKey, historyReferencesKey } from "../../platform/redis/keys/history.ts";
import { foldedName, knownNetworkOf } from "../brute-force/index.ts";

/** `refused`: names as typed, whose sign-ins a ban refused before any backend was queried. */
export type HistoryKind = "account" | "network" | "refused";

const shardCount = 64;

/** Where the history of an account, a network or a refused name is. */
export interface HistoryPlace {
  readonly kind: HistoryKind;
  readonly shard: string;
  readonly digest: string;
}

/** The shard is the first character of the digest: one of 64. */
function placeOf(kind: HistoryKind, name: string): HistoryPlace {
  const digest = hash("sha256", `${kind} ${name}`, "base64url").slice(0, 22);
  return { kind, shard: digest.slice(0, 1), digest };
}

export function accountPlace(account: string): HistoryPlace {
  return placeOf("account", foldedName(account));
}

export function refusedPlace(username: string): HistoryPlace {
  return placeOf("refused", foldedName(username));
}

/** An address without a network, which a caller may send, has its own history. */
export function networkPlace(address: string): HistoryPlace {
  return placeOf("network", knownNetworkOf(address) ?? "none");
}

export function indexKeyOf(prefix: string, { kind, shard }: Pick<HistoryPlace, "kind" | "shard">): string {
  return historyIndexKey.build(prefix, kind, shard);
}

export function listKeyOf(prefix: string, { kind, shard, digest }: HistoryPlace, list: "ok" | "other"): string {
  return historyRecordsKey.build(prefix, kind, shard, `${digest}:${list}`);
}

/** What the names of all lists of a shard begin with. */
export function listsOfShard(prefix: string, { kind, shard }: HistoryPlace): string {
  return historyRecordsKey.build(prefix, kind, shard, "");
}

/** In each shard as many as keep the whole below the maximum. */
export function perShard(maximum: number): number {
  return Math.ceil(maximum / shardCount);
}

/** Pages show the first two groups of a request's GUID. */
const shownCharacters = 13;

export function shownReference(session: string): string {
  return session.slice(0, shownCharacters).toLowerCase();
}

export function referencesKeyOf(prefix: string, shown: string): string {
  return historyReferencesKey.build(prefix, hash("sha256", shown, "base64url").slice(0, 1));
}
