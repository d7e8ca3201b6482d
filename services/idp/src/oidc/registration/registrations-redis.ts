import type { KeyRing } from "@postern/shared/platform/crypto";
import {
  decidedInRedis,
  defineScript,
  oidcDynamicIndexKey,
  oidcPendingKey,
  oidcRegisteredIndexKey,
  oidcRegisteredKey,
  oidcRegistrationRateKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import { createWindowCount } from "../../redis/count-in-window.ts";
import { digestOfId } from "../storage/models.ts";
import { isRegistration, kindOfId, type Registration, type RegistrationKind } from "./registration.ts";
import replaceRegistrationLua from "./scripts/replace-registration.lua?raw";
import reserveRegistrationLua from "./scripts/reserve-registration.lua?raw";

const decided = decidedInRedis("registered clients cannot be read or written");

interface Parts {
  readonly nowSeconds: () => number;
  readonly redis: RedisClient;
  readonly keys: KeyRing;
  readonly indexKeyOf: (kind: RegistrationKind) => string;
  readonly keyOf: (id: string) => string;
  readonly pendingKeyOf: (registration: Pick<Registration, "kind" | "network">) => string;
}

/** A registration, and its text as it is stored. */
async function readIn({ redis, keys, keyOf }: Parts, id: string) {
  const key = keyOf(id);
  const stored = await redis.get(key);
  if (stored === null) return undefined;
  const text = keys.open(Buffer.from(stored, "base64"), key)?.toString("utf8");
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isRegistration(value) ? { stored, registration: value } : undefined;
}

async function findIn(parts: Parts, id: string): Promise<Registration | undefined> {
  return (await readIn(parts, id))?.registration;
}

function storedAs({ keys, keyOf, nowSeconds }: Parts, registration: Registration) {
  const key = keyOf(registration.id);
  const sealed = keys.seal(JSON.stringify(registration), key).toString("base64");
  return { key, sealed, lifeSeconds: Math.max(1, registration.endsAt - nowSeconds()) };
}

const results = ["full", "network_full"] as const;

function createAdd(parts: Parts) {
  const { redis, indexKeyOf, pendingKeyOf, nowSeconds } = parts;
  const reserve = defineScript(redis, {
    name: "reserveRegistration",
    lua: reserveRegistrationLua,
    keys: ["indexKey", "pendingKey"],
    args: ["nowSeconds", "id", "endSeconds", "maxRegistrations", "maxPending", "indexSeconds", "pendingSeconds"],
  });
  return async (registration: Registration, maxRegistrations: number, maxPending: number) => {
    const { id, kind, endsAt } = registration;
    const reply = await reserve(
      { indexKey: indexKeyOf(kind), pendingKey: pendingKeyOf(registration) },
      {
        nowSeconds: nowSeconds(),
        id,
        endSeconds: endsAt,
        maxRegistrations,
        maxPending,
        indexSeconds: oidcRegisteredIndexKey.ttlSeconds,
        pendingSeconds: oidcPendingKey.ttlSeconds,
      },
    );
    const refused = results.find((name) => name === reply);
    if (refused !== undefined) return refused;
    const { key, sealed, lifeSeconds } = storedAs(parts, registration);
    await redis.set(key, sealed, "EX", lifeSeconds);
    return "added" as const;
  };
}

/** More changes than can meet in practice: each loser has seen another change succeed. */
const maxAttempts = 20;

function createChange(parts: Parts) {
  const { redis, indexKeyOf, pendingKeyOf, keyOf } = parts;
  const replace = defineScript(redis, {
    name: "replaceRegistration",
    lua: replaceRegistrationLua,
    keys: ["registrationKey"],
    args: ["read", "written", "lifeSeconds"],
  });
  return async (id: string, change: (known: Registration) => Registration): Promise<Registration | undefined> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const known = await readIn(parts, id);
      if (known === undefined) return undefined;
      const changed = change(known.registration);
      const { sealed, lifeSeconds } = storedAs(parts, changed);
      const reply = await replace({ registrationKey: keyOf(id) }, { read: known.stored, written: sealed, lifeSeconds });
      if (reply === "gone") return undefined;
      if (reply !== "replaced") continue;
      await redis.zadd(indexKeyOf(changed.kind), "XX", changed.endsAt, id);
      if (changed.usedAt !== undefined) await redis.zrem(pendingKeyOf(changed), id);
      return changed;
    }
    throw new Error("the registration changes too often");
  };
}

function createRemove(parts: Parts) {
  const { redis, indexKeyOf, keyOf, pendingKeyOf } = parts;
  return async (id: string): Promise<boolean> => {
    const known = await findIn(parts, id);
    const removed = await redis.unlink(keyOf(id));
    const kind = kindOfId(id);
    if (kind !== undefined) await redis.zrem(indexKeyOf(kind), id);
    if (known !== undefined) await redis.zrem(pendingKeyOf(known), id);
    return removed > 0;
  };
}

function createList(parts: Parts) {
  const { redis, indexKeyOf, nowSeconds } = parts;
  const idsOf = (kind: RegistrationKind, position: number, count: number): Promise<string[]> =>
    count === 0
      ? Promise.resolve([])
      : redis.zrange(indexKeyOf(kind), nowSeconds(), "+inf", "BYSCORE", "LIMIT", position, count);
  return async (position: number, count: number) => {
    const mail = await idsOf("mail", position, count);
    const ofMail = mail.length > 0 ? position : await redis.zcount(indexKeyOf("mail"), nowSeconds(), "+inf");
    const others = await idsOf("full", Math.max(0, position - ofMail), count - mail.length);
    const ids = [...mail, ...others];
    const found = (await Promise.all(ids.map((id) => findIn(parts, id)))).filter((one) => one !== undefined);
    return { found, isLast: ids.length < count };
  };
}

/** Each kind has separate budgets. The names of mail clients' keys are those of earlier versions. */
function budgetOf(kind: RegistrationKind, network: string): string {
  return kind === "mail" ? network : `${kind} ${network}`;
}

/** The clients that registered themselves. All methods reject with REDIS_UNAVAILABLE when Redis does not respond. */
export function createRegistrations(redis: RedisClient, keyPrefix: string, keys: KeyRing, clock: Clock) {
  const countInMinute = createWindowCount(redis);
  const indexKeys = { mail: oidcRegisteredIndexKey.build(keyPrefix), full: oidcDynamicIndexKey.build(keyPrefix) };
  const parts: Parts = {
    redis,
    keys,
    nowSeconds: () => Math.floor(clock.now() / 1000),
    indexKeyOf: (kind) => indexKeys[kind],
    keyOf: (id) => oidcRegisteredKey.build(keyPrefix, digestOfId(id)),
    pendingKeyOf: ({ kind, network }) => oidcPendingKey.build(keyPrefix, digestOfId(budgetOf(kind, network))),
  };
  const [add, change, remove, list] = [createAdd(parts), createChange(parts), createRemove(parts), createList(parts)];
  return {
    find: (id: string) => decided(() => findIn(parts, id)),
    /** Stores a registration until its end, unless there are too many of its kind. */
    add: (...args: Parameters<typeof add>) => decided(() => add(...args)),
    /**
     * Changes a registration as it is now, so that no other change is lost. One that has been used no longer counts as
     * pending. @returns the changed one; undefined if it does not exist
     */
    change: (...args: Parameters<typeof change>) => decided(() => change(...args)),
    /** @returns whether it existed */
    remove: (id: string) => decided(() => remove(id)),
    /** A page, beginning at a position: mail clients, then the others, each in the order of their ends. */
    list: (position: number, count: number) => decided(() => list(position, count)),
    /** How many requests for this kind a network has sent within the current minute, including this one. */
    countRequest: (kind: RegistrationKind, network: string): Promise<number> => {
      const key = oidcRegistrationRateKey.build(keyPrefix, digestOfId(budgetOf(kind, network)));
      return decided(() => countInMinute(key, oidcRegistrationRateKey.ttlSeconds));
    },
  };
}

export type Registrations = ReturnType<typeof createRegistrations>;
