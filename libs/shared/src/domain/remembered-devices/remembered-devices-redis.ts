import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { digestOf } from "../../platform/crypto/constant-time.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import type { Secret } from "../../platform/crypto/secret.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { rememberedDevicesKey } from "../../platform/redis/keys/browser.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { accountDigest } from "../factor-locks/index.ts";
import { openRecord, sealRecord } from "../history/store.ts";
import rememberDeviceLua from "./scripts/remember-device.lua?raw";
import useRememberedDeviceLua from "./scripts/use-remembered-device.lua?raw";

/** What the cookie of a browser says about one account. */
export interface CookieEntry {
  /** Of the device, 16 characters of base64url. Not a secret. */
  readonly id: string;
  /** Never changes, and is not stored: without it, the check of the password cannot be tried offline. 22 characters of base64url. */
  readonly key: string;
  /** Changes with every use. 22 characters of base64url. */
  readonly token: string;
}

/** A browser on which the user is not asked for the second factor, as users and operators see it. */
export interface RememberedDevice {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly sinceMs: number;
  readonly usedMs: number;
  readonly endsMs: number;
  readonly userAgent: string;
  readonly clientIp: string;
}

const Details = Type.Object({
  /** Of the password with which the device was remembered: see `passwordCheck`. */
  check: Type.String(),
  /** Determines the successor of each value of the cookie, so that all replicas send the same one. */
  seed: Type.String(),
  userAgent: Type.String(),
  clientIp: Type.String(),
});

const idBytes = 12;
const secretBytes = 16;
/** More browsers than a user has; the one that was used longest ago is asked again. */
const maxDevices = 16;
/** Longer than a response takes. */
const graceMs = 60_000;

const random = (bytes: number): string => randomBytes(bytes).toString("base64url");

export function newCookieEntry(): CookieEntry {
  return { id: random(idBytes), key: random(secretBytes), token: random(secretBytes) };
}

/** Shows at a later sign-in whether the password is still the same. */
function passwordCheck(account: string, { id, key }: CookieEntry, password: Secret): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([id, account, password.reveal()]))
    .digest("base64url");
}

function isEqual(left: string, right: string): boolean {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const successorOf = (seed: string, token: string): string =>
  createHmac("sha256", seed).update(token).digest().subarray(0, secretBytes).toString("base64url");

const decided = decidedInRedis("remembered devices cannot be reached");
const digest = (entry: Pick<CookieEntry, "token">): string => digestOf(entry.token).toString("base64url");

interface Deps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  /** The clock that all replicas share. */
  readonly clock: Clock;
  /** `identity.mfa.remembered_devices.lifetime` in milliseconds; 0: none count. */
  readonly lifeMs: number;
}

/** `reused`: its cookie was copied, or a response was lost. `password`: the password has changed. */
export type EndReason = "expired" | "password" | "reused" | "unreadable";

export type FoundDevice =
  | { readonly found: "device"; readonly entry: CookieEntry; readonly sinceMs: number; readonly successor: string }
  | { readonly found: "ended"; readonly id: string; readonly reason: EndReason }
  | { readonly found: "none" };

/** The order of the fields is that in the scripts. */
function readValue(value: string) {
  const [since, used, , , , sealed = ""] = value.split(" ");
  return { sinceMs: Number(since), usedMs: Number(used), sealed };
}

function createReader({ redis, keyPrefix, keys, clock, lifeMs }: Deps) {
  const keyOf = (account: string): string => rememberedDevicesKey.build(keyPrefix, accountDigest(account));
  const contextOf = (account: string, id: string): string => `${keyOf(account)} ${id}`;
  /** Undefined for what no key decrypts, or another version wrote. */
  const detailsOf = (account: string, id: string, sealed: string) => {
    const details = openRecord(keys, contextOf(account, id), sealed);
    return Value.Check(Details, details) ? details : undefined;
  };
  const seal = (account: string, id: string, details: object): string =>
    sealRecord(keys, contextOf(account, id), details, "base64url");
  const find = async (account: string, entries: readonly CookieEntry[], password: Secret): Promise<FoundDevice> => {
    const values = await redis.hmget(keyOf(account), ...entries.map(({ id }) => id));
    const at = values.findIndex((value) => value !== null);
    const [entry, value] = [entries[at], values[at]];
    if (entry === undefined || value === undefined || value === null) return { found: "none" };
    const { sinceMs, sealed } = readValue(value);
    const details = detailsOf(account, entry.id, sealed);
    const ended = (reason: EndReason) => ({ found: "ended", id: entry.id, reason }) as const;
    if (details === undefined) return ended("unreadable");
    if (sinceMs + lifeMs <= clock.now()) return ended("expired");
    if (!isEqual(details.check, passwordCheck(account, entry, password))) return ended("password");
    return { found: "device", entry, sinceMs, successor: successorOf(details.seed, entry.token) };
  };
  const list = async (account: string): Promise<readonly RememberedDevice[]> =>
    Object.entries(await redis.hgetall(keyOf(account)))
      .flatMap(([id, value]) => {
        const { sinceMs, usedMs, sealed } = readValue(value);
        const endsMs = sinceMs + lifeMs;
        const details = endsMs > clock.now() ? detailsOf(account, id, sealed) : undefined;
        if (details === undefined) return [];
        const { userAgent, clientIp } = details;
        return [{ id, sinceMs, usedMs, endsMs, userAgent, clientIp }];
      })
      .toSorted((left, right) => right.usedMs - left.usedMs);
  return { keyOf, seal, find, list };
}

/** For users and operators. */
function createListing(deps: Deps) {
  const { redis } = deps;
  const { keyOf, list } = createReader(deps);
  return {
    /** The one that was used last comes first; none while the site does not offer it. */
    list: (account: string): Promise<readonly RememberedDevice[]> => decided(() => list(account)),
    /** @returns whether there was such a device */
    forget: (account: string, id: string): Promise<boolean> =>
      decided(async () => (await redis.hdel(keyOf(account), id)) > 0),
    /** @returns the number of devices */
    forgetAll: (account: string): Promise<number> =>
      decided(async () => {
        const key = keyOf(account);
        const count = await redis.hlen(key);
        await redis.unlink(key);
        return count;
      }),
  };
}

/**
 * Browsers on which users are not asked for the second factor. Redis stores a digest of what the cookie contains, and encrypted details. Every
 * method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer: the factor is then asked for.
 */
export function createRememberedDevices(deps: Deps) {
  const { redis, clock, lifeMs } = deps;
  const { keyOf, seal, find } = createReader(deps);
  const remember = defineScript(redis, {
    name: "rememberDevice",
    lua: rememberDeviceLua,
    keys: ["devicesKey"],
    args: ["id", "value", "nowMs", "lifeMs", "maxDevices"],
  });
  const use = defineScript(redis, {
    name: "useRememberedDevice",
    lua: useRememberedDeviceLua,
    keys: ["devicesKey"],
    args: ["id", "presented", "successor", "nowMs", "graceMs"],
  });
  const nowMs = (): number => Math.floor(clock.now());
  return {
    /** Whether the site offers it. */
    isOffered: lifeMs > 0,
    passwordCheck,
    /** `check`: of `passwordCheck`. Repeating it with the same entry has no further effect. */
    remember: (
      account: string,
      { entry, check }: { readonly entry: CookieEntry; readonly check: string },
      browser: Pick<RememberedDevice, "userAgent" | "clientIp">,
    ): Promise<void> =>
      decided(async () => {
        const { id, token } = entry;
        const seed = random(secretBytes);
        const sealed = seal(account, id, { check, seed, ...browser });
        const value = [nowMs(), nowMs(), digest({ token }), "-", 0, sealed].join(" ");
        await remember({ devicesKey: keyOf(account) }, { id, value, nowMs: nowMs(), lifeMs, maxDevices });
      }),
    /** The device that one of the entries of a browser's cookie stands for. Changes nothing; `use` does. */
    find: (account: string, entries: readonly CookieEntry[], password: Secret): Promise<FoundDevice> =>
      decided(async () => (lifeMs > 0 && entries.length > 0 ? find(account, entries, password) : { found: "none" })),
    /**
     * Uses a device once. @returns the entry with which the browser replaces its own; undefined if it does not count any more, with
     * `reused` if its value had been replaced before
     */
    use: (
      account: string,
      { entry, successor }: Extract<FoundDevice, { found: "device" }>,
    ): Promise<{ readonly entry: CookieEntry | undefined; readonly isReused: boolean }> =>
      decided(async () => {
        const next = { ...entry, token: successor };
        const args = { id: entry.id, presented: digest(entry), successor: digest(next), nowMs: nowMs(), graceMs };
        const reply = await use({ devicesKey: keyOf(account) }, args);
        return { entry: reply === "used" || reply === "repeated" ? next : undefined, isReused: reply === "reused" };
      }),
    ...createListing(deps),
  };
}

export type RememberedDevices = ReturnType<typeof createRememberedDevices>;
