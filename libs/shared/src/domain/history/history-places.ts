import { hash } from "node:crypto";
import {
  historyAccountsKey,
  historyIndexKey,
  historyRecordsKey,
  historyReferencesKey,
} from "../../platform/redis/keys/history.ts";
import { foldedName, knownNetworkOf } from "../brute-force/index.ts";
import type { DecisionNote } from "./decision-record.ts";

/** Ordinary successes by day; successes after a failure; everything else. */
export const historyLists = ["ok", "first", "other"] as const;
export type HistoryList = (typeof historyLists)[number];

/** `refused`: names as typed, whose sign-ins a ban refused before any backend was queried. */
const kinds = ["account", "network", "refused"] as const;
export type HistoryKind = (typeof kinds)[number];

/** The first characters of digests. */
const shards = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** All shards, in the order in which the whole history is read: those of accounts first. */
export const allShards: readonly Pick<HistoryPlace, "kind" | "shard">[] = kinds.flatMap((kind) =>
  Array.from(shards, (shard) => ({ kind, shard })),
);

/** Where the history of an account, a network or a refused name is. */
export interface HistoryPlace {
  readonly kind: HistoryKind;
  readonly shard: string;
  readonly digest: string;
}

/** The shard is the first character of the digest: one of 64. */
export const placeWith = (kind: HistoryKind, digest: string): HistoryPlace => ({
  kind,
  shard: digest.slice(0, 1),
  digest,
});

function placeOf(kind: HistoryKind, name: string): HistoryPlace {
  return placeWith(kind, hash("sha256", `${kind} ${name}`, "base64url").slice(0, 22));
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

/** A place as a member of a set, such as `a:<digest>`. */
export const writtenPlace = ({ kind, digest }: HistoryPlace): string => `${kind.slice(0, 1)}:${digest}`;

/** Undefined for anything that `writtenPlace` did not make. */
export function readPlace(written: string): HistoryPlace | undefined {
  const [letter = "", digest] = written.split(":");
  const kind = kinds.find((one) => one.startsWith(letter));
  return kind === undefined || letter === "" || digest === undefined ? undefined : placeWith(kind, digest);
}

export function indexKeyOf(prefix: string, { kind, shard }: Pick<HistoryPlace, "kind" | "shard">): string {
  return historyIndexKey.build(prefix, kind, shard);
}

export function listKeyOf(prefix: string, { kind, shard, digest }: HistoryPlace, list: HistoryList): string {
  return historyRecordsKey.build(prefix, kind, shard, `${digest}:${list}`);
}

export function accountsKeyOf(prefix: string, { shard, digest }: HistoryPlace, list: "ok" | "other"): string {
  return historyAccountsKey.build(prefix, shard, digest, list);
}

/** What the names of all lists of a shard begin with. */
export function listsOfShard(prefix: string, { kind, shard }: Pick<HistoryPlace, "kind" | "shard">): string {
  return historyRecordsKey.build(prefix, kind, shard, "");
}

/** In each shard as many as keep the whole below the maximum. */
export const perShard = (maximum: number): number => Math.ceil(maximum / shards.length);

const networkCharacters = 4;

/**
 * What a run has in common with those that continue it. It begins with a part of the network's digest, so that a reader of the network's
 * sign-ins decrypts few others. Successes are equal in a whole network, because many clients change their address within it.
 */
export function identityOf(note: DecisionNote, network: HistoryPlace): string {
  const { outcome, channel, account = `\n${note.username}`, clientIp, protocol, reason, rule, step, client } = note;
  const isCounted = outcome === "ok" && note.isAfterFailure !== true;
  const where = isCounted ? network.digest : clientIp;
  const text = [outcome, channel, account, where, protocol, reason, rule, step, client].join("\0");
  return network.digest.slice(0, networkCharacters) + hash("sha256", text, "base64url").slice(0, 11);
}

/** What the identities of a network's records begin with, and few others. */
export const networkBeginning = ({ digest }: HistoryPlace): string => digest.slice(0, networkCharacters);

/** Pages show the first two groups of a request's GUID. */
const shownCharacters = 13;

export function shownReference(session: string): string {
  return session.slice(0, shownCharacters).toLowerCase();
}

const digestOf = (shown: string): string => hash("sha256", shown, "base64url");

/** One of 16: a batch of failures needs few commands. */
export function referencesKeyOf(prefix: string, shown: string): string {
  const shard = Buffer.from(digestOf(shown).slice(0, 2), "base64url").readUInt8(0) & 15;
  return historyReferencesKey.build(prefix, `r${shard}`);
}

/** The key of versions that used 64 shards. */
export function earlierReferencesKeyOf(prefix: string, shown: string): string {
  return historyReferencesKey.build(prefix, digestOf(shown).slice(0, 1));
}
