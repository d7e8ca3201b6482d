import { setTimeout as delay } from "node:timers/promises";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { decidedInRedis, oidcOutcomeKey, type RedisClient } from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { digestOfId, isRecord } from "./models.ts";

/** The response that ends a sign-in or a consent: usually the redirect to the client with the code. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

const decided = decidedInRedis("the outcome of a sign-in cannot be read or written");

const lookMs = 50;
/** How long a request waits for the one that it repeats: first for its claim, then for its outcome. */
const claimMs = 500;
const outcomeMs = 3000;

interface Entry {
  /** Digest of the browser's flow cookie. */
  readonly browser: string;
  /** Absent while the first request is in progress. */
  readonly outcome?: Outcome;
}

function isEntry(value: unknown): value is Entry {
  return isRecord(value) && typeof value["browser"] === "string";
}

/**
 * The outcomes of the last seconds. A form that a browser sends twice, or a redirect that it follows twice, must lead to
 * one code and one redirect; only the last response reaches the user. All methods reject when the store is unavailable.
 * They are encrypted, under digests of their interactions, because they contain codes and cookies.
 */
export function createOutcomes(redis: RedisClient, keyPrefix: string, keys: KeyRing, clock: Clock) {
  const keyOf = (uid: string): string => oidcOutcomeKey.build(keyPrefix, digestOfId(uid));
  const seal = (key: string, entry: Entry): string => keys.seal(JSON.stringify(entry), key).toString("base64");
  const read = async (uid: string): Promise<Entry | undefined> => {
    const key = keyOf(uid);
    const sealed = await redis.get(key);
    const opened = sealed === null ? undefined : keys.open(Buffer.from(sealed, "base64"), key);
    const entry: unknown = opened === undefined ? undefined : JSON.parse(opened.toString("utf8"));
    return isEntry(entry) ? entry : undefined;
  };
  return {
    /** Whether no other request has resumed this interaction in the last seconds. Then the caller must keep or release. */
    claim: (uid: string, browser: string): Promise<boolean> =>
      decided(async () => {
        const key = keyOf(uid);
        return (await redis.set(key, seal(key, { browser }), "EX", oidcOutcomeKey.ttlSeconds, "NX")) === "OK";
      }),
    keep: (uid: string, browser: string, outcome: Outcome): Promise<void> =>
      decided(async () => {
        const key = keyOf(uid);
        await redis.set(key, seal(key, { browser, outcome }), "EX", oidcOutcomeKey.ttlSeconds);
      }),
    /** Gives up a claim without an outcome, so that the browser may try again. */
    release: (uid: string): Promise<void> => decided(async () => void (await redis.unlink(keyOf(uid)))),
    /** The outcome of a request in progress or of a recent one; undefined if there is none, or for another browser. */
    wait: (uid: string, browser: string): Promise<Outcome | undefined> =>
      decided(async () => {
        const began = clock.now();
        for (;;) {
          const entry = await read(uid);
          if (entry !== undefined && (entry.browser !== browser || entry.outcome !== undefined)) {
            return entry.browser === browser ? entry.outcome : undefined;
          }
          if (clock.now() - began >= (entry === undefined ? claimMs : outcomeMs)) return undefined;
          await delay(lookMs);
        }
      }),
    isKnown: (uid: string): Promise<boolean> => decided(async () => (await redis.exists(keyOf(uid))) === 1),
  };
}
