import { hash } from "node:crypto";
import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import {
  defineScript,
  oidcIndexKey,
  oidcOnceKey,
  oidcRecordKey,
  oidcReplayKey,
  oidcUserCodeKey,
  type RedisClient,
} from "@postern/shared/redis";
import type { Clock } from "@postern/shared/time";
import type { AdapterPayload } from "oidc-provider";
import { isRecord } from "./json.ts";
import type { Consumption, IndexKind, OidcStore, RecordRef, StoredRecord } from "./store.ts";

/** Models whose use counts, and for how long a second use is hidden (ms): a double submit is no theft. */
const graceMs: Readonly<Record<string, number>> = {
  AuthorizationCode: 2000,
  DeviceCode: 2000,
  PushedAuthorizationRequest: 0,
};

/** Those, and the one whose grace the site chooses. */
const usedOnce: ReadonlySet<string> = new Set([...Object.keys(graceMs), "RefreshToken"]);

/** What a record is prolonged by beyond need, so that a busy family is not written at each refresh. */
const spareSeconds = 3600;

/** Models that an account, a client or a grant is asked for. */
const indexed: ReadonlySet<string> = new Set([
  "AccessToken",
  "RefreshToken",
  "AuthorizationCode",
  "DeviceCode",
  "Grant",
]);

/** KEYS: record. ARGV: sealed value, life. The hash is written whole, so that no half of an older one stays. */
const putOnce = `
redis.call("HSET", KEYS[1], "v", ARGV[1])
redis.call("EXPIRE", KEYS[1], ARGV[2])
return 1
`;

/** KEYS: record. ARGV: grace in ms. Redis' own clock, so that replicas agree. */
const consumeOnce = `
if redis.call("EXISTS", KEYS[1]) == 0 then return "unknown" end
local time = redis.call("TIME")
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local used = redis.call("HGET", KEYS[1], "c")
if not used then
  redis.call("HSET", KEYS[1], "c", string.format("%.0f", now))
  return "consumed"
end
if ARGV[2] == "again" and now - tonumber(used) <= tonumber(ARGV[1]) then return "consumed" end
return "used"
`;

/** KEYS: record. ARGV: sealed successor. Answers the successor that counts. */
const electOnce = `
redis.call("HSETNX", KEYS[1], "s", ARGV[1])
return redis.call("HGET", KEYS[1], "s")
`;

/** KEYS: record. ARGV: what was read, what replaces it, life. What is gone, or was changed meanwhile, is left so. */
const replaceSame = `
if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "EX", ARGV[3])
return 1
`;

/** KEYS: index. ARGV: now, member, its end, life of the index. */
const addToIndex = `
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", ARGV[1])
redis.call("ZADD", KEYS[1], ARGV[3], ARGV[2])
if redis.call("TTL", KEYS[1]) < tonumber(ARGV[4]) then redis.call("EXPIRE", KEYS[1], ARGV[4]) end
return 1
`;

export function digestOfId(id: string): string {
  return hash("sha256", id, "base64url");
}

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "the provider's state cannot be used", cause });
}

function indexesOf(payload: AdapterPayload): readonly (readonly [IndexKind, string])[] {
  const { accountId, clientId, grantId, kind, jti } = payload;
  const owner = accountId ?? clientId;
  const grant = kind === "Grant" ? jti : grantId;
  return [
    ...(owner === undefined ? [] : [["account", owner] as const]),
    ...(clientId === undefined ? [] : [["client", clientId] as const]),
    ...(grant === undefined ? [] : [["grant", grant] as const]),
  ];
}

export interface StoreDeps {
  readonly redis: RedisClient;
  readonly prefix: string;
  readonly keys: KeyRing;
  readonly clock: Clock;
  /** `identity.oidc.tokens.refresh_token_grace`, in ms. */
  readonly refreshGraceMs: () => number;
}

interface Parts extends StoreDeps {
  readonly graceOf: (model: string) => number;
  readonly keyOf: (ref: RecordRef) => string;
  readonly seal: (value: string, context: string) => string;
  readonly open: (sealed: unknown, context: string) => string | undefined;
}

function isPayload(value: unknown): value is AdapterPayload {
  return isRecord(value);
}

function parse(text: string | undefined): AdapterPayload | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isPayload(value) ? value : undefined;
}

/** A used record is told as used only after its grace: until then a repeated request is refused, not punished. */
async function findOnce(ref: RecordRef, { redis, keyOf, open, graceOf }: Parts): Promise<AdapterPayload | undefined> {
  const key = keyOf(ref);
  const [sealed, used] = await redis.hmget(key, "v", "c");
  const payload = parse(open(sealed, key));
  if (payload === undefined || typeof used !== "string") return payload;
  // The clock that the use was noted by.
  const [seconds, micros] = await redis.time();
  const since = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) - Number(used);
  if (since <= graceOf(ref.model)) return payload;
  return { ...payload, consumed: Math.floor(Number(used) / 1000) };
}

type AddPointers = (ref: RecordRef, payload: AdapterPayload, life: number) => Promise<void>;

/** A record without its pointers could not be revoked: they are written first. */
function createAddPointers({ redis, prefix, clock }: Parts): AddPointers {
  const index = defineScript(redis, { name: "oidcAddToIndex", lua: addToIndex, numberOfKeys: 1 });
  return async (ref, payload, life) => {
    if (!indexed.has(ref.model)) return;
    const now = Math.floor(clock.now() / 1000);
    const member = `${ref.model}:${ref.digest}`;
    await Promise.all(
      indexesOf(payload).map(([kind, id]) =>
        index([oidcIndexKey.build(prefix, kind, digestOfId(id))], [now, member, now + life, life]),
      ),
    );
  };
}

const mostTries = 5;

function createProlong(parts: Parts, addPointers: AddPointers): OidcStore["prolong"] {
  const { redis, keyOf, seal, open, clock } = parts;
  const replace = defineScript(redis, { name: "oidcReplaceSame", lua: replaceSame, numberOfKeys: 1 });
  return async (ref, untilSeconds) => {
    const key = keyOf(ref);
    for (let tries = 0; tries < mostTries; tries += 1) {
      const stored = await redis.get(key);
      const payload = parse(open(stored, key));
      if (stored === null || payload === undefined) return undefined;
      if ((payload.exp ?? 0) >= untilSeconds) return payload;
      const next = { ...payload, exp: untilSeconds + spareSeconds };
      const life = Math.max(1, next.exp - Math.floor(clock.now() / 1000));
      await addPointers(ref, next, life);
      if ((await replace([key], [stored, seal(JSON.stringify(next), key), life])) === 1) return next;
    }
    throw unavailable(new Error("a record changes at each look"));
  };
}

function createPut(parts: Parts, addPointers: AddPointers): OidcStore["put"] {
  const { redis, prefix, keyOf, seal } = parts;
  const once = defineScript(redis, { name: "oidcPutOnce", lua: putOnce, numberOfKeys: 1 });
  return async (ref, payload, ttlSeconds) => {
    const key = keyOf(ref);
    const life = Math.max(1, Math.ceil(ttlSeconds));
    const sealed = seal(JSON.stringify(payload), key);
    const code =
      payload.userCode === undefined
        ? []
        : [redis.set(oidcUserCodeKey.build(prefix, digestOfId(payload.userCode)), ref.digest, "EX", life)];
    await Promise.all([addPointers(ref, payload, life), ...code]);
    if (usedOnce.has(ref.model)) await once([key], [sealed, life]);
    else await redis.set(key, sealed, "EX", life);
  };
}

function createConsume({ redis, keyOf, graceOf }: Parts): OidcStore["consume"] {
  const script = defineScript(redis, { name: "oidcConsumeOnce", lua: consumeOnce, numberOfKeys: 1 });
  const results: readonly Consumption[] = ["consumed", "used", "unknown"];
  return async (ref) => {
    const again = ref.model === "RefreshToken" ? "again" : "never";
    const result = await script([keyOf(ref)], [graceOf(ref.model), again]);
    return results.find((name) => name === result) ?? "unknown";
  };
}

function createElect({ redis, keyOf, seal, open }: Parts): OidcStore["elect"] {
  const script = defineScript(redis, { name: "oidcElectOnce", lua: electOnce, numberOfKeys: 1 });
  return async (ref, successor) => {
    const key = keyOf(ref);
    const elected = open(await script([key], [seal(successor, `${key}:s`)]), `${key}:s`);
    if (elected === undefined) throw new AppError("INTERNAL", { detail: "a sealed successor does not open" });
    return elected;
  };
}

function createLists(parts: Parts, find: OidcStore["find"]): Pick<OidcStore, "list" | "destroyAll" | "destroyListed"> {
  const { redis, prefix, keyOf, clock } = parts;
  const refsOf = async (kind: IndexKind, id: string): Promise<readonly RecordRef[]> => {
    const now = Math.floor(clock.now() / 1000);
    const members = await redis.zrange(oidcIndexKey.build(prefix, kind, digestOfId(id)), now, "+inf", "BYSCORE");
    return members.map((member) => {
      const at = member.indexOf(":");
      return { model: member.slice(0, at), digest: member.slice(at + 1) };
    });
  };
  const destroyListed: OidcStore["destroyListed"] = async (kind, id, refs) => {
    await Promise.all(refs.map((ref) => redis.unlink(keyOf(ref))));
    const key = oidcIndexKey.build(prefix, kind, digestOfId(id));
    if (refs.length > 0) await redis.zrem(key, ...refs.map(({ model, digest }) => `${model}:${digest}`));
  };
  return {
    destroyListed,
    list: async (kind, id) => {
      const found = await Promise.all(
        (await refsOf(kind, id)).map(async (ref): Promise<readonly StoredRecord[]> => {
          const payload = await find(ref);
          return payload === undefined ? [] : [{ ...ref, payload }];
        }),
      );
      return found.flat();
    },
    destroyAll: async (kind, id, models) => {
      const refs = (await refsOf(kind, id)).filter(({ model }) => models?.includes(model) ?? true);
      await destroyListed(kind, id, refs);
    },
  };
}

/** Turns whatever Redis throws into "could not decide". */
function guarded<Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) {
  return (...args: Args): Promise<Result> =>
    call(...args).catch((error: unknown) => Promise.reject(error instanceof AppError ? error : unavailable(error)));
}

export function createOidcStore(deps: StoreDeps): OidcStore {
  const { redis, prefix, keys } = deps;
  const parts: Parts = {
    ...deps,
    graceOf: (model) => (model === "RefreshToken" ? deps.refreshGraceMs() : (graceMs[model] ?? 0)),
    keyOf: ({ model, digest }) => (usedOnce.has(model) ? oidcOnceKey : oidcRecordKey).build(prefix, model, digest),
    seal: (value, context) => keys.seal(value, context).toString("base64"),
    open: (sealed, context) =>
      typeof sealed === "string" ? keys.open(Buffer.from(sealed, "base64"), context)?.toString("utf8") : undefined,
  };
  const find = guarded(async (ref: RecordRef) => {
    if (usedOnce.has(ref.model)) return findOnce(ref, parts);
    const key = parts.keyOf(ref);
    return parse(parts.open(await redis.get(key), key));
  });
  const addPointers = createAddPointers(parts);
  const { list, destroyAll, destroyListed } = createLists(parts, find);
  return {
    find,
    put: guarded(createPut(parts, addPointers)),
    prolong: guarded(createProlong(parts, addPointers)),
    consume: guarded(createConsume(parts)),
    elect: guarded(createElect(parts)),
    destroy: guarded(async (ref) => void (await redis.unlink(parts.keyOf(ref)))),
    list: guarded(list),
    destroyAll: guarded(destroyAll),
    destroyListed: guarded(destroyListed),
    byUserCode: guarded(async (userCode) => {
      const digest = await redis.get(oidcUserCodeKey.build(prefix, digestOfId(userCode)));
      return digest === null ? undefined : find({ model: "DeviceCode", digest });
    }),
    unseen: guarded(async (id, ttlSeconds) => {
      const key = oidcReplayKey.build(prefix, digestOfId(id));
      return (await redis.set(key, "1", "EX", Math.max(1, Math.ceil(ttlSeconds)), "NX")) === "OK";
    }),
  };
}
