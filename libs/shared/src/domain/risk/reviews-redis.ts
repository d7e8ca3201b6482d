import { createSecretKey } from "node:crypto";
import { within } from "../../platform/concurrency/index.ts";
import { createKeyedDigest } from "../../platform/crypto/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { riskAccountKey, riskReviewKey } from "../../platform/redis/keys/risk.ts";
import { defineVariableScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { foldedName, knownNetworkOf } from "../brute-force/index.ts";
import type { ChangeMarks } from "../regions/index.ts";
import { type AccountFacts, decodeAccountFacts, encodeAccountFacts } from "./account-facts.ts";
import { earliestUnanswered } from "./hold-scope.ts";
import { confirmSignIn, isKnownNetwork } from "./note.ts";
import { decodeReviews, encodeReviews, type ReviewedSignIn, recentReviews } from "./review.ts";
import type { RiskSettings } from "./risk-settings.ts";
import replaceRiskFactsLua from "./scripts/replace-risk-facts.lua?raw";

export interface Replacement {
  /** Empty if there was no value. */
  readonly expected: string;
  readonly replacement: string;
  readonly lifeSeconds: number;
}

const replaceRiskFacts = { name: "replaceRiskFacts", lua: replaceRiskFactsLua };

interface WaitingReplacement extends Replacement {
  readonly key: string;
  readonly resolve: (present: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Replacements of one turn of the event loop are one call. On a cluster each is its own, as keys have different slots. */
function createReplacements(redis: RedisClient) {
  const run = defineVariableScript(redis, replaceRiskFacts, redis.isCluster ? 1 : undefined);
  let waiting: WaitingReplacement[] = [];
  const send = (batch: readonly WaitingReplacement[]): void => {
    const args = batch.flatMap(({ expected, replacement, lifeSeconds }) => [expected, replacement, lifeSeconds]);
    run(
      batch.map(({ key }) => key),
      args,
    ).then(
      (replies) => batch.forEach(({ resolve }, index) => resolve(Array.isArray(replies) ? replies[index] : undefined)),
      (reason: unknown) => batch.forEach(({ reject }) => reject(reason)),
    );
  };
  const sendAll = (): void => {
    const batch = waiting;
    waiting = [];
    if (redis.isCluster) for (const one of batch) send([one]);
    else send(batch);
  };
  return (key: string, replacement: Replacement): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push({ ...replacement, key, resolve, reject });
      if (waiting.length === 1) process.nextTick(sendAll);
    });
}

/** The digest of the account whose facts or suspicious sign-ins a key has. */
const accountOfKey = (key: string): string | undefined => /risk:(?:account|review):\{([^}]+)\}$/u.exec(key)?.[1];

/**
 * Where facts are. Both reject while Redis is unavailable.
 * @param marks where other regions read which accounts have changed; absent without regions
 */
export function createRiskStore(redis: RedisClient, timeoutMs: number, marks?: Pick<ChangeMarks, "markSoon">) {
  const replace = createReplacements(redis);
  const mark = (key: string): void => {
    const account = marks && accountOfKey(key);
    if (account !== undefined) marks?.markSoon([account]);
  };
  return {
    read: async (key: string): Promise<string | undefined> => (await within(redis.get(key), timeoutMs)) ?? undefined,
    /** Undefined if the value was replaced; otherwise the present one, empty if there is none. */
    replace: async (key: string, replacement: Replacement): Promise<string | undefined> => {
      const present = await within(replace(key, replacement), timeoutMs);
      if (typeof present === "string") return present;
      mark(key);
      return undefined;
    },
  };
}

export type RiskStore = ReturnType<typeof createRiskStore>;

const networkLength = 8;
const deviceLength = 16;

/** `nonce`: `storage.redis.password_nonce`, which all services share. */
export function createRiskNames(nonce: string) {
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`risk\0${nonce}`)));
  return {
    account: (name: string): string => digest(`account ${foldedName(name)}`, "base64url").slice(0, 22),
    /** Different for each account, so that facts do not show who shares a browser. Empty for an empty text. */
    device: (account: string, device: string): string =>
      device === ""
        ? ""
        : digest(`device ${JSON.stringify([foldedName(account), device])}`, "base64url").slice(0, deviceLength),
    /** Undefined for anything but an address. IPv4 /24, IPv6 /48. */
    network: (address: string): string | undefined => {
      const network = knownNetworkOf(address);
      return network === undefined ? undefined : digest(`network ${network}`, "base64url").slice(0, networkLength);
    },
  };
}

/** Names of accounts and networks in facts: keyed digests, so that a reader of Redis cannot try names or addresses. */
export type RiskNames = ReturnType<typeof createRiskNames>;

interface RiskReviewsDeps {
  readonly store: RiskStore;
  readonly names: Pick<RiskNames, "account" | "device">;
  readonly keyPrefix: string;
  readonly settings: () => RiskSettings;
  readonly clock: Clock;
}

/** Engines write the same value after sign-ins. */
const maxAttempts = 8;
const minuteMs = 60_000;
const decided = decidedInRedis("suspicious sign-ins cannot be reached");

function createReplace(store: RiskStore) {
  return async (key: string, change: (value: string) => string | undefined, lifeSeconds: number): Promise<void> => {
    let expected = (await store.read(key)) ?? "";
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const replacement = change(expected);
      if (replacement === undefined) return;
      const present = await store.replace(key, { expected, replacement, lifeSeconds });
      if (present === undefined) return;
      expected = present;
    }
    throw new RangeError("other processes changed the value during every attempt");
  };
}

/** Suspicious sign-ins that wait for their user. Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer. */
export function createRiskReviews({ store, names, keyPrefix, settings, clock }: RiskReviewsDeps) {
  const replace = createReplace(store);
  const minuteNow = (): number => Math.floor(clock.now() / minuteMs);
  const factsKey = (account: string): string => riskAccountKey.build(keyPrefix, names.account(account));
  const reviewKey = (account: string): string => riskReviewKey.build(keyPrefix, names.account(account));
  const recentIn = (value: string | undefined): readonly ReviewedSignIn[] =>
    recentReviews(decodeReviews(value ?? "") ?? [], minuteNow());
  const change = (
    account: string,
    changed: (reviews: readonly ReviewedSignIn[]) => readonly ReviewedSignIn[],
  ): Promise<void> =>
    replace(
      reviewKey(account),
      (value) => (value === "" ? undefined : encodeReviews(changed(recentIn(value)))),
      riskReviewKey.ttlSeconds,
    );
  const factsOf = async (account: string): Promise<AccountFacts | undefined> =>
    decodeAccountFacts((await store.read(factsKey(account))) ?? "");
  /** Another engine may report a sign-in after its network was confirmed. */
  const list = async (account: string): Promise<readonly ReviewedSignIn[]> => {
    const [facts, value] = await Promise.all([factsOf(account), store.read(reviewKey(account))]);
    const now = minuteNow();
    const known = facts?.networks.filter((one) => isKnownNetwork(one, now, settings())).map(({ id }) => id);
    return recentIn(value).filter(
      ({ network, isRejected }) => isRejected !== true && known?.includes(network) !== true,
    );
  };
  return {
    /** Newest first. */
    list: (account: string) => decided(() => list(account)),
    /** What is known of the account; undefined if nothing is. */
    facts: (account: string) => decided(() => factsOf(account)),
    /**
     * The user has proven that the sign-in from this network was theirs: the network is known from now on, and so is the
     * browser in which they said so; a hold ends. `device`: digest of its cookie, empty if it has none.
     * @returns whether there is such a sign-in
     */
    confirm: (account: string, network: string, device: string): Promise<boolean> =>
      decided(async () => {
        const found = (await list(account)).find((one) => one.network === network);
        if (found === undefined) return false;
        const { country, system, protocol, client } = found;
        const place = { country, system, location: undefined };
        const signIn = { minute: minuteNow(), network, place, protocol, client, device: names.device(account, device) };
        const confirmed = (value: string): string | undefined => {
          const facts = decodeAccountFacts(value);
          return facts && encodeAccountFacts(confirmSignIn(facts, signIn, settings()));
        };
        await replace(factsKey(account), confirmed, settings().retentionMinutes * 60);
        await change(account, (reviews) => reviews.filter((one) => one.network !== network));
        return true;
      }),
    /** The minute of the earliest unconfirmed suspicious sign-in; undefined if there is none. Takes one read. */
    earliestUnanswered: (account: string): Promise<number | undefined> =>
      decided(async () => earliestUnanswered(recentIn(await store.read(reviewKey(account))), minuteNow())),
    /** None of them was the user. Networks stay doubted, and a hold continues. */
    reject: (account: string): Promise<void> =>
      decided(() => change(account, (reviews) => reviews.map((one) => ({ ...one, isRejected: true })))),
  };
}

export type RiskReviews = ReturnType<typeof createRiskReviews>;

/** Whether a suspicious sign-in of an account is unanswered, or a hold in force: someone else may have the password. */
export function createIsDoubted(reviews: Pick<RiskReviews, "earliestUnanswered" | "facts">, clock: Clock) {
  return async (account: string): Promise<boolean> => {
    const [earliest, facts] = await Promise.all([reviews.earliestUnanswered(account), reviews.facts(account)]);
    const isHeld = facts?.hold !== undefined && facts.hold.untilMinute > Math.floor(clock.now() / minuteMs);
    return isHeld || earliest !== undefined;
  };
}
