import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import { suspensionsChanged } from "../../contracts/index.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { suspensionsKey } from "../../platform/redis/keys/general.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { EventOfKind } from "../regions/index.ts";
import writeSuspensionLua from "./scripts/write-suspension.lua?raw";

/** An account that an operator has suspended. Times in milliseconds since the epoch. */
const Suspension = Type.Object({
  account: Type.String(),
  sinceMs: Type.Number(),
  /** Absent: until it is resumed. */
  untilMs: Type.Optional(Type.Number()),
  /** Text for the user. */
  reason: Type.Optional(Type.String()),
  /** The API caller, or the operator. */
  by: Type.String(),
  /** GUID of the request. */
  session: Type.String(),
  /** The folded name that an operator typed, and not one that a backend returned: it matches accounts in any letter case. */
  isTyped: Type.Optional(Type.Boolean()),
  /** By somebody who is limited to domains. Otherwise, or absent: by the site, which alone may change it. */
  isLimited: Type.Optional(Type.Boolean()),
  /** A number and a region: of the newest change in all regions. Absent without regions. */
  revision: Type.Optional(Type.String()),
});
export type Suspension = Readonly<Static<typeof Suspension>>;

/** Whether only those who are not limited to domains may change it. */
export function isOfSite(suspension: Suspension | undefined): boolean {
  return suspension !== undefined && suspension.isLimited !== true;
}

/** Undefined for an account that was resumed, and for what this version cannot read. */
export function parseSuspension(stored: string): Suspension | undefined {
  try {
    const value: unknown = JSON.parse(stored.slice(stored.indexOf(" ") + 1));
    return Value.Check(Suspension, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An account, and what is stored for it. */
export type SuspensionWrite = readonly [account: string, value: string];

export const writeOf = (suspension: Suspension): SuspensionWrite => [
  suspension.account,
  `${suspension.untilMs ?? 0} ${JSON.stringify(suspension)}`,
];

/** Every process keeps all of them in memory. More accounts are a matter for the directory. */
const maxAccounts = 10_000;
/** Accounts that are resumed within a day. */
const maxResumed = 20_000;

export const decidedOfSuspensions = decidedInRedis("suspended accounts cannot be read or written");

/** Values that a write leaves as they are. */
export interface KeptSuspensions {
  readonly onlyIfAbsent?: boolean;
  readonly keepsThoseOfSite?: boolean;
  readonly onlyIfNewer?: boolean;
  /** Each value gets a revision of this region. */
  readonly region?: string | undefined;
}

/** @returns a function that writes the state of accounts, and returns those that were written. It throws AppError REDIS_UNAVAILABLE. */
export function createWriteSuspension(redis: RedisClient, keyPrefix: string) {
  const write = defineScript(redis, {
    name: "writeSuspension",
    lua: writeSuspensionLua,
    keys: ["suspensionsKey"],
    args: ["writes", "maxAccounts", "maxResumed", "onlyIfAbsent", "keepsThoseOfSite", "region", "onlyIfNewer"],
  });
  const key = suspensionsKey.build(keyPrefix);
  return async (writes: readonly SuspensionWrite[], kept: KeptSuspensions): Promise<readonly string[]> => {
    const args = {
      writes: JSON.stringify(writes),
      maxAccounts,
      maxResumed,
      onlyIfAbsent: kept.onlyIfAbsent === true ? 1 : 0,
      keepsThoseOfSite: kept.keepsThoseOfSite === true ? 1 : 0,
      region: kept.region ?? "",
      onlyIfNewer: kept.onlyIfNewer === true ? 1 : 0,
    };
    const reply = await decidedOfSuspensions(() => write({ suspensionsKey: key }, args));
    return Array.isArray(reply) ? reply.map(String) : [];
  };
}

/** Takes over what other regions have stored about suspended accounts. All methods throw AppError REDIS_UNAVAILABLE. */
export function createSuspensionMerge(redis: RedisClient, keyPrefix: string, bus: Pick<Bus, "publish">) {
  const write = createWriteSuspension(redis, keyPrefix);
  return {
    /** The newest change wins, whichever region made it. */
    merge: async ({ account, value }: EventOfKind<"suspension">): Promise<void> => {
      const written = await write([[account, value]], { onlyIfNewer: true });
      if (written.length > 0) bus.publish(suspensionsChanged, {});
    },
    /** Everything that is stored here. */
    all: async (): Promise<readonly EventOfKind<"suspension">[]> => {
      const stored = await decidedOfSuspensions(() => redis.hgetall(suspensionsKey.build(keyPrefix)));
      // The field with the empty name is the version.
      const accounts = Object.entries(stored).filter(([account]) => account !== "");
      return accounts.map(([account, value]) => ({ kind: "suspension", account, value }));
    },
  };
}
