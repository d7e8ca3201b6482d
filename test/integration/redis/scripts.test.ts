import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { defineScript, defineVariableScript, type RedisClient } from "@postern/shared/platform/redis";
import { type RedisServer, spawnRedis } from "@postern/shared/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readScript } from "../../../tools/redis-scripts/read-script.ts";
import { scriptPaths } from "../../../tools/redis-scripts/script-modules.ts";
import { connect } from "../brute-force/counting.ts";

const root = join(import.meta.dirname, "../../..");
const paths = scriptPaths(root);

type Values = Readonly<Record<string, string | number>>;

/** Arguments of each script, and its reply in an empty Redis. The adapters' own tests show what the scripts do. */
const calls: Readonly<Record<string, { readonly args: Values; readonly reply: unknown }>> = {
  "add-delivery": { args: { id: "a", sealed: "s", lifeSeconds: 60, delayMs: 0 }, reply: 1 },
  "add-record-to-index": { args: { nowSeconds: 1, member: "m", endSeconds: 61, lifeSeconds: 60 }, reply: 1 },
  "admit-factor-attempt": {
    args: { maxAttempts: 5, windowSeconds: 60, maxFailures: 3, failuresSeconds: 60, isProved: 1, isHidden: 0 },
    reply: ["admission", "admitted", "failures", 1],
  },
  "claim-deliveries": { args: { maxDeliveries: 5, leaseMs: 1000 }, reply: [] },
  "consume-record": { args: { graceMs: 1000, isRepeatable: 1 }, reply: "unknown" },
  "count-in-logout": { args: { field: "n1" }, reply: 0 },
  "count-in-window": { args: { windowSeconds: 60 }, reply: 1 },
  "count-repetition": { args: { windowMs: 60_000 }, reply: 1 },
  "elect-successor": { args: { sealedSuccessor: "s" }, reply: "s" },
  "index-ban": { args: { endSeconds: 4_000_000_000, banKey: "b", maxBans: 5 }, reply: 1 },
  "index-session": { args: { endMs: 4_000_000_000_000, lifeMs: 60_000, uid: "u" }, reply: 1 },
  "insert-session": { args: { sealed: "s", nowMs: 1, lifeMs: 60_000 }, reply: 1 },
  "knows-network": { args: { network: "192.0.2.0/24", knownSeconds: 60 }, reply: 0 },
  "note-device": { args: { device: "d", nowSeconds: 1, maxDevices: 5, lifeSeconds: 60 }, reply: 1 },
  "note-failed-sign-in": { args: { timeMs: 100_000, entry: "e", maxEntries: 5, lifeSeconds: 60 }, reply: 1 },
  "note-logout-result": { args: { field: "r1", result: "done" }, reply: 0 },
  "note-network": { args: { network: "192.0.2.0/24", knownSeconds: 60, maxNetworks: 5 }, reply: 1 },
  "note-signed-in-hash": { args: { digest: "d", maxHashes: 5, lifeSeconds: 60 }, reply: 1 },
  "poll-device-code": { args: { intervalSeconds: 5, lifeSeconds: 60 }, reply: 1 },
  "put-once-record": { args: { sealed: "s", lifeSeconds: 60 }, reply: 1 },
  "change-account-epoch": { args: { epoch: "e", lifeSeconds: 60 }, reply: ["resultKeys", [], "nameKeys", []] },
  "raise-token-epoch": { args: { lifeSeconds: 60 }, reply: expect.stringMatching(/^\d{13}$/u) },
  "read-index-page": { args: { afterScore: 0, afterMember: "", maxMembers: 5 }, reply: [] },
  "read-index-page-back": { args: { beforeScore: "", beforeMember: "", leastScore: 0, maxMembers: 5 }, reply: [] },
  "read-job": { args: { retentionMs: 1000 }, reply: null },
  "redeem-refresh-token": {
    args: { presented: "p", nextToken: "n", lifeSeconds: 60, deniedSeconds: 60 },
    reply: "unknown",
  },
  "reserve-registration": {
    args: {
      nowSeconds: 1,
      id: "mail_a",
      endSeconds: 61,
      maxRegistrations: 5,
      maxPending: 5,
      indexSeconds: 60,
      pendingSeconds: 60,
    },
    reply: "reserved",
  },
  "release-lease": { args: { holder: "h" }, reply: 0 },
  "remove-session": { args: { expectedVersion: 1 }, reply: "gone" },
  "replace-if-same": { args: { expected: "", replacement: "r", lifeSeconds: 60 }, reply: 1 },
  "replace-registration": { args: { read: "a", written: "b", lifeSeconds: 60 }, reply: "gone" },
  "replace-risk-facts": { args: { expected: "", replacement: "r", lifeSeconds: 60 }, reply: null },
  "replace-session": { args: { expectedVersion: 1, sealed: "s", lifeMs: 60_000 }, reply: 0 },
  "retry-delivery": { args: { id: "a", delayMs: 1000 }, reply: 0 },
  "settle-delivery": { args: { id: "a" }, reply: 0 },
  "store-cached-result": {
    args: { expectedEpoch: "0", value: "v", lifeMs: 1000, loginNameKey: "l", indexSeconds: 60, maxIndexed: 5 },
    reply: 1,
  },
  "take-failure-token": {
    args: { intervalUs: 1000, depthUs: 5000, maxLifeMs: 1000 },
    reply: ["granted", 1, "debtUs", 1000],
  },
  "touch-session": { args: { nowMs: 1, lifeMs: 60_000 }, reply: 0 },
  "undo-factor-attempt": { args: { isAccountCounted: 1, isFlowCounted: 1 }, reply: 1 },
  "undo-passkey-attempt": { args: {}, reply: 0 },
  "write-flow": { args: { expectedVersion: 0, sealed: "s", lifeMs: 60_000 }, reply: 1 },
};

interface ListCall {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  readonly reply: unknown;
}

const rule = { name: "host", periodMs: 600_000, failedRequests: 10, banMs: 60_000 };
const countSettings = { repeatWindowMs: 1000, maxDigests: 64, guessesLifeMs: 1000, unknownWeight: 4, rules: [rule] };
const batch = {
  stringKeys: 2,
  tolerations: [{ minPercent: 10, maxPercent: 10, scale: 1 }],
  digests: ["d"],
  known: [1],
  tolerationOf: [1],
  requestLives: [1000],
  ruleCounts: [1],
  rules: [1],
  networks: ["192.0.2.1"],
};

/** The same for scripts with a variable number of keys. */
const listCalls: Readonly<Record<string, ListCall>> = {
  "add-audit-records": { keys: ["records"], args: [60, 5, "sealed"], reply: 1 },
  "count-account-failures": {
    keys: ["failures", "slowed", "known"],
    args: [60_000, 64, 5, 60, 10, 1000, "d", "192.0.2.0/24"],
    reply: [[1, 1, 0]],
  },
  "count-failures": {
    keys: ["pending", "ban", "wrong", "guesses", "request", "count", "now", "before"],
    args: [JSON.stringify(countSettings), JSON.stringify(batch)],
    reply: ["0 1 1"],
  },
  "note-decisions": {
    keys: ["{test}:index", "{test}:list"],
    args: [1000, 60, 5, 5, "{test}:", "digest", 1, "identity", 990, 1000, 1, "rest"],
    reply: 1,
  },
  "note-guess": { keys: ["addresses", "accounts"], args: [1, "m", 5, 60, "n", 5, 60], reply: 1 },
  "note-references": { keys: ["references"], args: [1000, 60, 5, 1000, "place"], reply: 1 },
  "note-traffic": {
    keys: ["{test}:traffic", "{test}:networks"],
    args: [60, 5, 1, "1:ok", 2, "192.0.2.0/24", 1],
    reply: 1,
  },
  "record-success": {
    keys: ["wrong", "pending", "ban", "count", "now"],
    args: ["alice", 3, 1000, 1000, 600_000, 10, 10],
    reply: ["ban", null],
  },
};

let server: RedisServer;
let redis: RedisClient;
beforeAll(async () => {
  server = await spawnRedis();
  redis = await connect({ kind: "standalone", address: { host: "127.0.0.1", port: server.port } });
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
});

test("every Redis script is listed in this test", () => {
  const named = [...Object.keys(calls), ...Object.keys(listCalls)];
  expect(named.toSorted()).toEqual(paths.map(nameOf).toSorted());
});

const scripts = paths.map((path) => readScript(path, readFileSync(join(root, path), "utf8")));
const nameOf = (path: string): string => basename(path, ".lua");

test.each(Object.entries(calls))("%s runs in Redis with the keys and arguments of its header", async (file, call) => {
  const script = scripts[paths.findIndex((path) => nameOf(path) === file)];
  const { name = "", lua = "", keys = [], args = [] } = script ?? {};
  expect(Object.keys(call.args)).toEqual(args);
  const keyNames = Object.fromEntries(keys.map((key) => [key, `{test}:${key}`]));
  expect(await defineScript(redis, { name, lua, keys, args })(keyNames, call.args)).toEqual(call.reply);
});

test.each(Object.entries(listCalls))("%s runs in Redis with lists of keys and arguments", async (file, call) => {
  const { name = "", lua = "", keys } = scripts[paths.findIndex((path) => nameOf(path) === file)] ?? {};
  expect(keys).toBeUndefined();
  expect(await defineVariableScript(redis, { name, lua })(call.keys, call.args)).toEqual(call.reply);
});
