import type { KeyFamily } from "./family.ts";

const daySeconds = 86_400;

const ofHistory = { owner: "auth-engine, idp", role: "state" } as const;

/** Accounts, networks or refused names of one shard by the time of their last record (s). */
export const historyIndexKey: KeyFamily<[kind: string, shard: string]> = {
  ...ofHistory,
  name: "index of the decision history",
  type: "zset",
  ttlSeconds: 14 * daySeconds,
  lost: "records expire by age only, until their account or network signs in again",
  parts: ["account, network or refused", "shard"],
  build: (prefix, kind, shard) => `${prefix}history:{${kind}:${shard}}:index`,
};

/** List of records, newest first; each is sealed. The hash tag is that of the index, so that one script writes both. */
export const historyRecordsKey: KeyFamily<[kind: string, shard: string, list: string]> = {
  ...ofHistory,
  name: "decision history",
  type: "list",
  ttlSeconds: 14 * daySeconds,
  lost: "operators do not see earlier sign-ins of this account or network",
  parts: ["account, network or refused", "shard", "digest and ok or other"],
  build: (prefix, kind, shard, list) => `${prefix}history:{${kind}:${shard}}:${list}`,
};

/** Where the record of a reference is, by time (s); at most 2048 in each of 64 shards. */
export const historyReferencesKey: KeyFamily<[shard: string]> = {
  ...ofHistory,
  name: "references of the decision history",
  type: "zset",
  ttlSeconds: 14 * daySeconds,
  lost: "earlier sign-ins are not found by reference",
  parts: ["shard"],
  build: (prefix, shard) => `${prefix}history:references:{${shard}}`,
};

/** Hash: number of decisions by minute and outcome, for one hour. */
export const trafficKey: KeyFamily<[hour: string]> = {
  ...ofHistory,
  name: "decisions per minute",
  type: "hash",
  ttlSeconds: 90_000,
  lost: "the chart of decisions per minute starts empty",
  parts: ["hour"],
  build: (prefix, hour) => `${prefix}history:traffic:{${hour}}`,
};

/** Networks by their failures of one kind in one hour, at most 1000. */
export const failingNetworksKey: KeyFamily<[hour: string, kind: string]> = {
  ...ofHistory,
  name: "failures by network",
  type: "zset",
  ttlSeconds: 90_000,
  lost: "the list of networks with most failures starts empty",
  parts: ["hour", "empty, :repeated or :refused"],
  // Counted failures have the key of earlier versions.
  build: (prefix, hour, kind) => `${prefix}history:traffic:{${hour}}:networks${kind === "counted" ? "" : `:${kind}`}`,
};

/** Audit records in the order of writing, each sealed. What an unidentified caller causes cannot displace the rest. */
export const auditHistoryKey: KeyFamily<[kind: string]> = {
  name: "audit history",
  owner: "every service",
  role: "state",
  type: "stream",
  ttlSeconds: 30 * daySeconds,
  lost: "the console's audit page starts empty; the audit stream is not affected",
  parts: ["identified or unidentified"],
  build: (prefix, kind) => `${prefix}audit:history:{${kind}}`,
};

export const historyKeyFamilies: readonly KeyFamily<never[]>[] = [
  historyIndexKey,
  historyRecordsKey,
  historyReferencesKey,
  trafficKey,
  failingNetworksKey,
  auditHistoryKey,
];
