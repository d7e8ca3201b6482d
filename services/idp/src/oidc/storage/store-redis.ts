import { hash } from "node:crypto";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import {
  defineScript,
  oidcIndexKey,
  oidcOnceKey,
  oidcRecordKey,
  oidcReplayKey,
  oidcUserCodeKey,
  type RedisClient,
} from "@postern/shared/platform/redis";
import type { Clock } from "@postern/shared/platform/time";
import type { AdapterPayload } from "oidc-provider";
import { createReplaceIfSame } from "../../redis/replace-if-same.ts";
import { isRecord } from "./json.ts";
import addRecordToIndexLua from "./scripts/add-record-to-index.lua?raw";
import consumeRecordLua from "./scripts/consume-record.lua?raw";
import electSuccessorLua from "./scripts/elect-successor.lua?raw";
import putOnceRecordLua from "./scripts/put-once-record.lua?raw";
import type { Consumption, IndexKind, OidcStore, RecordRef, StoredRecord } from "./store.ts";

const addRecordToIndex = {
  name: "addRecordToIndex",
  lua: addRecordToIndexLua,
  keys: ["indexKey"],
  args: ["nowSeconds", "member", "endSeconds", "lifeSeconds"],
} as const;
const consumeRecord = {
  name: "consumeRecord",
  lua: consumeRecordLua,
  keys: ["recordKey"],
  args: ["graceMs", "isRepeatable"],
} as const;
const electSuccessor = {
  name: "electSuccessor",
  lua: electSuccessorLua,
  keys: ["recordKey"],
  args: ["sealedSuccessor"],
} as const;
const putOnceRecord = {
  name: "putOnceRecord",
  lua: putOnceRecordLua,
  keys: ["recordKey"],
  args: ["sealed", "lifeSeconds"],
} as const;

/** Models that are consumed, and how long a second use is refused without revoking tokens (ms): a repeated poll is not theft. */
const graceMs: Readonly<Record<string, number>> = {
  AuthorizationCode: 0,
  DeviceCode: 2000,
  PushedAuthorizationRequest: 0,
};

/** These, and the one whose grace is configured. */
const usedOnce: ReadonlySet<string> = new Set([...Object.keys(graceMs), "RefreshToken"]);

/** A record is prolonged by this much more than needed, so that a busy family is not written at each refresh. */
const spareSeconds = 3600;

/** Models that are listed by account, client and grant. */
const indexed: ReadonlySet<string> = new Set([
  "AccessToken",
  "RefreshToken",
  "AuthorizationCode",
  "DeviceCode",
  "Grant",
]);

export function digestOfId(id: string): string {
  return hash("sha256", id, "base64url");
}

function unavailable(cause: unknown): AppError {
  return new AppError("REDIS_UNAVAILABLE", { detail: "the provider's records cannot be read or written", cause });
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
  readonly keyPrefix: string;
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

/** A used record is reported as used only after its grace period: until then a repetition is refused without revoking tokens. */
async function findOnce(ref: RecordRef, { redis, keyOf, open, graceOf }: Parts): Promise<AdapterPayload | undefined> {
  const key = keyOf(ref);
  const [sealed, used] = await redis.hmget(key, "v", "c");
  const payload = parse(open(sealed, key));
  if (payload === undefined || typeof used !== "string") return payload;
  // The clock that recorded the use.
  const [seconds, micros] = await redis.time();
  const since = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) - Number(used);
  if (since <= graceOf(ref.model)) return payload;
  return { ...payload, consumed: Math.floor(Number(used) / 1000) };
}

type AddPointers = (ref: RecordRef, payload: AdapterPayload, life: number) => Promise<void>;

/** Adds a record to its indexes before it is stored: without them it could not be revoked. */
function createAddPointers({ redis, keyPrefix, clock }: Parts): AddPointers {
  const add = defineScript(redis, addRecordToIndex);
  return async (ref, payload, life) => {
    if (!indexed.has(ref.model)) return;
    const nowSeconds = Math.floor(clock.now() / 1000);
    const member = `${ref.model}:${ref.digest}`;
    await Promise.all(
      indexesOf(payload).map(([kind, id]) =>
        add(
          { indexKey: oidcIndexKey.build(keyPrefix, kind, digestOfId(id)) },
          { nowSeconds, member, endSeconds: nowSeconds + life, lifeSeconds: life },
        ),
      ),
    );
  };
}

const maxTries = 5;

function createProlong(parts: Parts, addPointers: AddPointers): OidcStore["prolong"] {
  const { redis, keyOf, seal, open, clock } = parts;
  const replace = createReplaceIfSame(redis);
  return async (ref, untilSeconds) => {
    const key = keyOf(ref);
    for (let tries = 0; tries < maxTries; tries += 1) {
      const stored = await redis.get(key);
      const payload = parse(open(stored, key));
      if (stored === null || payload === undefined) return undefined;
      if ((payload.exp ?? 0) >= untilSeconds) return payload;
      const next = { ...payload, exp: untilSeconds + spareSeconds };
      const life = Math.max(1, next.exp - Math.floor(clock.now() / 1000));
      await addPointers(ref, next, life);
      const value = seal(JSON.stringify(next), key);
      if (await replace(key, { expected: stored, value, ttlSeconds: life })) return next;
    }
    throw unavailable(new Error("the record changed before each write"));
  };
}

function createPut(parts: Parts, addPointers: AddPointers): OidcStore["put"] {
  const { redis, keyPrefix, keyOf, seal } = parts;
  const putOnce = defineScript(redis, putOnceRecord);
  return async (ref, payload, ttlSeconds) => {
    const key = keyOf(ref);
    const life = Math.max(1, Math.ceil(ttlSeconds));
    const sealed = seal(JSON.stringify(payload), key);
    const code =
      payload.userCode === undefined
        ? []
        : [redis.set(oidcUserCodeKey.build(keyPrefix, digestOfId(payload.userCode)), ref.digest, "EX", life)];
    await Promise.all([addPointers(ref, payload, life), ...code]);
    if (usedOnce.has(ref.model)) await putOnce({ recordKey: key }, { sealed, lifeSeconds: life });
    else await redis.set(key, sealed, "EX", life);
  };
}

function createConsume({ redis, keyOf, graceOf }: Parts): OidcStore["consume"] {
  const consume = defineScript(redis, consumeRecord);
  const results: readonly Consumption[] = ["consumed", "used", "unknown"];
  return async (ref) => {
    const isRepeatable = ref.model === "RefreshToken" ? 1 : 0;
    const result = await consume({ recordKey: keyOf(ref) }, { graceMs: graceOf(ref.model), isRepeatable });
    return results.find((name) => name === result) ?? "unknown";
  };
}

function createElect({ redis, keyOf, seal, open }: Parts): OidcStore["elect"] {
  const elect = defineScript(redis, electSuccessor);
  return async (ref, successor) => {
    const key = keyOf(ref);
    const sealed = await elect({ recordKey: key }, { sealedSuccessor: seal(successor, `${key}:s`) });
    const elected = open(sealed, `${key}:s`);
    if (elected === undefined) throw new AppError("INTERNAL", { detail: "an encrypted successor cannot be decrypted" });
    return elected;
  };
}

function createLists(parts: Parts, find: OidcStore["find"]): Pick<OidcStore, "list" | "destroyAll" | "destroyListed"> {
  const { redis, keyPrefix, keyOf, clock } = parts;
  const refsOf = async (kind: IndexKind, id: string): Promise<readonly RecordRef[]> => {
    const now = Math.floor(clock.now() / 1000);
    const members = await redis.zrange(oidcIndexKey.build(keyPrefix, kind, digestOfId(id)), now, "+inf", "BYSCORE");
    return members.map((member) => {
      const at = member.indexOf(":");
      return { model: member.slice(0, at), digest: member.slice(at + 1) };
    });
  };
  const destroyListed: OidcStore["destroyListed"] = async (kind, id, refs) => {
    await Promise.all(refs.map((ref) => redis.unlink(keyOf(ref))));
    const key = oidcIndexKey.build(keyPrefix, kind, digestOfId(id));
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

/** Turns any error of Redis into REDIS_UNAVAILABLE: the outcome is unknown. */
function guarded<Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) {
  return (...args: Args): Promise<Result> =>
    call(...args).catch((error: unknown) => Promise.reject(error instanceof AppError ? error : unavailable(error)));
}

export function createOidcStore(deps: StoreDeps): OidcStore {
  const { redis, keyPrefix, keys } = deps;
  const parts: Parts = {
    ...deps,
    graceOf: (model) => (model === "RefreshToken" ? deps.refreshGraceMs() : (graceMs[model] ?? 0)),
    keyOf: ({ model, digest }) => (usedOnce.has(model) ? oidcOnceKey : oidcRecordKey).build(keyPrefix, model, digest),
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
      const digest = await redis.get(oidcUserCodeKey.build(keyPrefix, digestOfId(userCode)));
      return digest === null ? undefined : find({ model: "DeviceCode", digest });
    }),
    unseen: guarded(async (id, ttlSeconds) => {
      const key = oidcReplayKey.build(keyPrefix, digestOfId(id));
      return (await redis.set(key, "1", "EX", Math.max(1, Math.ceil(ttlSeconds)), "NX")) === "OK";
    }),
  };
}
