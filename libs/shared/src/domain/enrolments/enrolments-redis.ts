import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "../../platform/crypto/index.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { enrolmentsBeganKey, enrolmentsKey } from "../../platform/redis/keys/browser.ts";
import { together } from "../../platform/redis/together.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { beforeRecords, type RiskNames } from "../risk/index.ts";

/** When and how a second factor was set up. */
interface Enrolment {
  /** Minutes since the epoch. */
  readonly minute: number;
  /** Set up while a suspicious sign-in was unanswered, and not from a session that proves the user: it never proves anything. */
  readonly isDoubted: boolean;
  /** Its user proved to be the owner with a factor that was vouched for, or an operator vouches. */
  readonly isVouched: boolean;
}

/** Bound of the records of an account. */
const maxEnrolments = 64;
const prunedAfterMinutes = 30 * 1440;

const writeEnrolment = ({ minute, isDoubted, isVouched }: Enrolment): string =>
  `${minute.toString(36)},${isDoubted ? "d" : ""}${isVouched ? "v" : ""}`;

/** A value that this version did not write proves nothing. */
function readEnrolment(value: string): Enrolment {
  const [, minute = "", marks = "d"] = /^([0-9a-z]{1,10}),([a-z]*)$/.exec(value) ?? [];
  return { minute: Number.parseInt(minute || "0", 36), isDoubted: marks.includes("d"), isVouched: marks.includes("v") };
}

/** Without its record, a factor counts as old and vouched for. So does one whose record is to say exactly that. */
function isPrunable({ minute, isDoubted, isVouched }: Enrolment, nowMinute: number): boolean {
  return !isDoubted && isVouched && nowMinute - minute > prunedAfterMinutes;
}

export interface EnrolmentsDeps {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  /** `storage.redis.password_nonce` */
  readonly nonce: string;
  readonly names: Pick<RiskNames, "account">;
  /** The minute since which Redis knows the account; undefined if it does not. */
  readonly knownSince: (account: string) => Promise<number | undefined>;
  readonly knownAfterMinutes: () => number;
  readonly clock: Clock;
}

const idLength = 22;
const minuteMs = 60_000;
const decided = decidedInRedis("enrolments of second factors cannot be reached");

/**
 * When second factors were set up. Directories do not say it, so Redis remembers it; a flush of the account does not erase it. Every method
 * throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export function createEnrolments(deps: EnrolmentsDeps) {
  const { redis, keyPrefix, nonce, names, knownSince, knownAfterMinutes, clock } = deps;
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`factor\0${nonce}`)));
  const keyOf = (account: string): string => enrolmentsKey.build(keyPrefix, names.account(account));
  const minuteNow = (): number => Math.floor(clock.now() / minuteMs);
  /** Since when enrolments are recorded. */
  const began = async (): Promise<number> => {
    const key = enrolmentsBeganKey.build(keyPrefix);
    await redis.set(key, minuteNow(), "NX");
    return Number(await redis.get(key));
  };
  /** Redis that knew the account long before the records began has lost none of them. */
  const sinceOfUnrecorded = async (account: string): Promise<number> => {
    const [beganMinute, knownMinute] = await Promise.all([began(), knownSince(account)]);
    const isUpgrade = knownMinute !== undefined && knownMinute + knownAfterMinutes() <= beganMinute;
    return isUpgrade ? beforeRecords : beganMinute;
  };
  const write = (key: string, id: string, value: Enrolment): Promise<void> =>
    together(redis.multi().hset(key, id, writeEnrolment(value)).expire(key, enrolmentsKey.ttlSeconds));
  const read = async (key: string, id: string): Promise<Enrolment | undefined> => {
    const value = await redis.hget(key, id);
    return value === null ? undefined : readEnrolment(value);
  };
  return {
    /** What a factor of the account is recorded under. `part`: its secret, or its identifier. */
    idOf: (kind: "totp" | "webauthn" | "recovery", part: string): string =>
      `${kind}:${digest(JSON.stringify([kind, part]), "base64url").slice(0, idLength)}`,
    /** A factor without a record was there before enrolments were recorded, or an operator set it up. */
    find: (account: string, id: string): Promise<Enrolment> =>
      decided(async () => {
        const key = keyOf(account);
        const found = await read(key, id);
        if (found === undefined) return { minute: await sinceOfUnrecorded(account), isDoubted: false, isVouched: true };
        await redis.expire(key, enrolmentsKey.ttlSeconds);
        return found;
      }),
    /** Called before the factor is stored, so that none is stored without it. @returns false if the account has too many records */
    note: (account: string, id: string, how: Pick<Enrolment, "isDoubted" | "isVouched">): Promise<boolean> =>
      decided(async () => {
        await began();
        const [key, minute] = [keyOf(account), minuteNow()];
        const known = await redis.hgetall(key);
        const old = Object.keys(known).filter((one) => isPrunable(readEnrolment(known[one] ?? ""), minute));
        if (old.length > 0) await redis.hdel(key, ...old);
        if (Object.keys(known).length - old.length >= maxEnrolments) return false;
        await write(key, id, { minute, ...how });
        return true;
      }),
    /** An operator vouches for the user who set the factor up. */
    vouch: (account: string, id: string): Promise<void> =>
      decided(async () => {
        const key = keyOf(account);
        const found = await read(key, id);
        if (found !== undefined) await write(key, id, { minute: found.minute, isDoubted: false, isVouched: true });
      }),
  };
}

export type Enrolments = ReturnType<typeof createEnrolments>;
