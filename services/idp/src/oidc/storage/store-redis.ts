import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import {
  decidedInRedis,
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
import { digestOfId, graceMs, type IndexKind, indexed, indexesOf, isRecord, usedOnce } from "./models.ts";
import addRecordToIndexLua from "./scripts/add-record-to-index.lua?raw";
import consumeRecordLua from "./scripts/consume-record.lua?raw";
import electSuccessorLua from "./scripts/elect-successor.lua?raw";
import putOnceRecordLua from "./scripts/put-once-record.lua?raw";

/** A record is prolonged by this much more than needed, so that a busy family is not written at each refresh. */
const spareSeconds = 3600;

export interface RecordRef {
  readonly model: string;
  /** SHA-256 of the identifier, base64url; the `id` in the session list. */
  readonly digest: string;
}

/** A record listed from an index. */
export interface StoredRecord extends RecordRef {
  readonly payload: AdapterPayload;
}

const decided = decidedInRedis("the provider's records cannot be read or written");

function isPayload(value: unknown): value is AdapterPayload {
  return isRecord(value);
}

function parse(text: string | undefined): AdapterPayload | undefined {
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  return isPayload(value) ? value : undefined;
}

const maxTries = 5;

interface StoreParts {
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  readonly keys: KeyRing;
  readonly sharedClock: Clock;
  /** `identity.oidc.tokens.refresh_token_grace`, in ms. */
  readonly refreshGraceMs: () => number;
}

/** All records of the provider, encrypted and under hashed names. Methods reject when Redis does not respond. */
export class OidcStore {
  readonly #parts: StoreParts;
  readonly #add;
  readonly #replace;
  readonly #putOnce;
  readonly #consume;
  readonly #elect;

  constructor(parts: StoreParts) {
    const { redis } = parts;
    this.#parts = parts;
    this.#add = defineScript(redis, {
      name: "addRecordToIndex",
      lua: addRecordToIndexLua,
      keys: ["indexKey"],
      args: ["nowSeconds", "member", "endSeconds", "lifeSeconds"],
    });
    this.#replace = createReplaceIfSame(redis);
    this.#putOnce = defineScript(redis, {
      name: "putOnceRecord",
      lua: putOnceRecordLua,
      keys: ["recordKey"],
      args: ["sealed", "lifeSeconds"],
    });
    this.#consume = defineScript(redis, {
      name: "consumeRecord",
      lua: consumeRecordLua,
      keys: ["recordKey"],
      args: ["graceMs", "isRepeatable"],
    });
    this.#elect = defineScript(redis, {
      name: "electSuccessor",
      lua: electSuccessorLua,
      keys: ["recordKey"],
      args: ["sealedSuccessor"],
    });
  }

  put(ref: RecordRef, payload: AdapterPayload, ttlSeconds: number): Promise<void> {
    const { redis, keyPrefix } = this.#parts;
    return decided(async () => {
      const key = this.#keyOf(ref);
      const life = Math.max(1, Math.ceil(ttlSeconds));
      const sealed = this.#seal(JSON.stringify(payload), key);
      const { userCode } = payload;
      const codeKey = userCode === undefined ? undefined : oidcUserCodeKey.build(keyPrefix, digestOfId(userCode));
      const code = codeKey === undefined ? undefined : redis.set(codeKey, ref.digest, "EX", life);
      await Promise.all([this.#addPointers(ref, payload, life), code]);
      if (usedOnce.has(ref.model)) await this.#putOnce({ recordKey: key }, { sealed, lifeSeconds: life });
      else await redis.set(key, sealed, "EX", life);
    });
  }

  find(ref: RecordRef): Promise<AdapterPayload | undefined> {
    return decided(async () => {
      if (usedOnce.has(ref.model)) return this.#findOnce(ref);
      const key = this.#keyOf(ref);
      return parse(this.#open(await this.#parts.redis.get(key), key));
    });
  }

  /** Consumes a record once; within the grace period of its model again, with the same result. Then callers receive `used`. */
  consume(ref: RecordRef): Promise<"consumed" | "used" | "unknown"> {
    return decided(async () => {
      const grace = { graceMs: this.#graceOf(ref.model), isRepeatable: ref.model === "RefreshToken" ? 1 : 0 };
      const result = await this.#consume({ recordKey: this.#keyOf(ref) }, grace);
      return result === "consumed" || result === "used" ? result : "unknown";
    });
  }

  /** The successor of a used refresh token: the first one offered wins, for all callers. */
  elect(ref: RecordRef, successor: string): Promise<string> {
    return decided(async () => {
      const key = this.#keyOf(ref);
      const sealed = await this.#elect({ recordKey: key }, { sealedSuccessor: this.#seal(successor, `${key}:s`) });
      const elected = this.#open(sealed, `${key}:s`);
      if (elected !== undefined) return elected;
      throw new AppError("INTERNAL", { detail: "an encrypted successor cannot be decrypted" });
    });
  }

  /**
   * Extends a record until at least this time (seconds since the epoch). Undefined for a record that no longer exists: it
   * is never restored.
   */
  prolong(ref: RecordRef, untilSeconds: number): Promise<AdapterPayload | undefined> {
    const { redis } = this.#parts;
    return decided(async () => {
      const key = this.#keyOf(ref);
      for (let tries = 0; tries < maxTries; tries += 1) {
        const stored = await redis.get(key);
        const payload = parse(this.#open(stored, key));
        if (stored === null || payload === undefined) return undefined;
        if ((payload.exp ?? 0) >= untilSeconds) return payload;
        const next = { ...payload, exp: untilSeconds + spareSeconds };
        const life = Math.max(1, next.exp - this.#nowSeconds());
        await this.#addPointers(ref, next, life);
        const value = this.#seal(JSON.stringify(next), key);
        if (await this.#replace(key, { expected: stored, value, ttlSeconds: life })) return next;
      }
      throw new Error("the record changed before each write");
    });
  }

  async destroy(ref: RecordRef): Promise<void> {
    await decided(() => this.#parts.redis.unlink(this.#keyOf(ref)));
  }

  list(kind: IndexKind, id: string): Promise<readonly StoredRecord[]> {
    return decided(async () => {
      const read = async (ref: RecordRef) => ({ ...ref, payload: await this.find(ref) });
      const found = await Promise.all((await this.#refsOf(kind, id)).map(read));
      return found.flatMap(({ payload, ...ref }) => (payload === undefined ? [] : [{ ...ref, payload }]));
    });
  }

  /** Deletes all records of an index, or those of these models. */
  destroyAll(kind: IndexKind, id: string, models?: readonly string[]): Promise<void> {
    return decided(async () => {
      const refs = (await this.#refsOf(kind, id)).filter(({ model }) => models?.includes(model) ?? true);
      await this.destroyListed(kind, id, refs);
    });
  }

  destroyListed(kind: IndexKind, id: string, refs: readonly RecordRef[]): Promise<void> {
    const { redis } = this.#parts;
    return decided(async () => {
      await Promise.all(refs.map((ref) => redis.unlink(this.#keyOf(ref))));
      if (refs.length > 0)
        await redis.zrem(this.#indexKeyOf(kind, id), ...refs.map(({ model, digest }) => `${model}:${digest}`));
    });
  }

  byUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const { redis, keyPrefix } = this.#parts;
    return decided(async () => {
      const digest = await redis.get(oidcUserCodeKey.build(keyPrefix, digestOfId(userCode)));
      return digest === null ? undefined : this.find({ model: "DeviceCode", digest });
    });
  }

  /** Whether this was seen for the first time. */
  unseen(id: string, ttlSeconds: number): Promise<boolean> {
    const { redis, keyPrefix } = this.#parts;
    const key = oidcReplayKey.build(keyPrefix, digestOfId(id));
    return decided(async () => (await redis.set(key, "1", "EX", Math.max(1, Math.ceil(ttlSeconds)), "NX")) === "OK");
  }

  #graceOf(model: string): number {
    return (model === "RefreshToken" ? this.#parts.refreshGraceMs() : graceMs[model]) ?? 0;
  }

  #keyOf({ model, digest }: RecordRef): string {
    return (usedOnce.has(model) ? oidcOnceKey : oidcRecordKey).build(this.#parts.keyPrefix, model, digest);
  }

  #indexKeyOf(kind: IndexKind, id: string): string {
    return oidcIndexKey.build(this.#parts.keyPrefix, kind, digestOfId(id));
  }

  #nowSeconds(): number {
    return Math.floor(this.#parts.sharedClock.now() / 1000);
  }

  #seal(value: string, context: string): string {
    return this.#parts.keys.seal(value, context).toString("base64");
  }

  #open(sealed: unknown, context: string): string | undefined {
    if (typeof sealed !== "string") return undefined;
    return this.#parts.keys.open(Buffer.from(sealed, "base64"), context)?.toString("utf8");
  }

  /** A used record is reported as used only after its grace period: until then a repetition is refused without revoking tokens. */
  async #findOnce(ref: RecordRef): Promise<AdapterPayload | undefined> {
    const { redis } = this.#parts;
    const key = this.#keyOf(ref);
    const [sealed, used] = await redis.hmget(key, "v", "c");
    const payload = parse(this.#open(sealed, key));
    if (payload === undefined || typeof used !== "string") return payload;
    // The clock that recorded the use.
    const [seconds, micros] = await redis.time();
    const since = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000) - Number(used);
    return since <= this.#graceOf(ref.model) ? payload : { ...payload, consumed: Math.floor(Number(used) / 1000) };
  }

  /** Adds a record to its indexes before it is stored: without them it could not be revoked. */
  async #addPointers(ref: RecordRef, payload: AdapterPayload, life: number): Promise<void> {
    if (!indexed.has(ref.model)) return;
    const nowSeconds = this.#nowSeconds();
    const entry = {
      nowSeconds,
      member: `${ref.model}:${ref.digest}`,
      endSeconds: nowSeconds + life,
      lifeSeconds: life,
    };
    await Promise.all(
      indexesOf(payload).map(([kind, id]) => this.#add({ indexKey: this.#indexKeyOf(kind, id) }, entry)),
    );
  }

  async #refsOf(kind: IndexKind, id: string): Promise<readonly RecordRef[]> {
    const indexKey = this.#indexKeyOf(kind, id);
    const members = await this.#parts.redis.zrange(indexKey, this.#nowSeconds(), "+inf", "BYSCORE");
    return members.map((member) => {
      const at = member.indexOf(":");
      return { model: member.slice(0, at), digest: member.slice(at + 1) };
    });
  }
}
