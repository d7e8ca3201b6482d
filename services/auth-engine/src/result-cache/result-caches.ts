import { BackendKind, type Ok } from "@postern/shared/contracts";
import type { CountedFacts } from "../brute-force/brute-force.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedResult } from "./cached-result.ts";
import type { GuardedCache, ReadOutcome, WriteOutcome } from "./guarded-cache.ts";
import type { MemoryCache } from "./memory-cache.ts";
import { type ContextSettings, type PasswordDigest, sameDigest, securityContext } from "./security-context.ts";
import type { CacheFamily, CacheKey, SharedRead } from "./shared-cache.ts";

export interface ResultCacheSettings {
  readonly context: ContextSettings;
  readonly memoryEnabled: boolean;
  /** Names of the backends after `cache` in `auth.backends.order`. */
  readonly sharedBackends: ReadonlySet<string>;
  readonly sharedTtlMs: number;
  readonly identityEnabled: boolean;
  readonly identityTtlMs: number;
}

/** Which cache is used for which decision. Implements `in-memory=0` and `cache=0`. */
function createCacheRules(settings: () => ResultCacheSettings, hasShared: boolean) {
  const usesShared = ({ operation, sharedCache }: Attempt): boolean => {
    if (!sharedCache || !hasShared) return false;
    const { identityEnabled, sharedBackends } = settings();
    return operation === "lookup" ? identityEnabled : sharedBackends.size > 0;
  };
  return {
    usesMemory: ({ operation, memoryCache }: Attempt): boolean =>
      memoryCache && operation === "authenticate" && settings().memoryEnabled,
    usesShared,
    /** Whether this backend's answer may enter the shared cache. */
    mayShare: (attempt: Attempt, { decision, backendName }: BackendAnswer): boolean => {
      if (!usesShared(attempt)) return false;
      if (attempt.operation === "lookup") return decision.backend === BackendKind.ldap;
      return settings().sharedBackends.has(backendName);
    },
    sharedTtlMs: ({ operation }: Attempt): number =>
      operation === "lookup" ? settings().identityTtlMs : settings().sharedTtlMs,
  };
}

/** The state of one decision in the caches; created before a backend is queried. */
export interface CacheState {
  readonly context: string;
  /** The memory cache's generation before the backend was queried. */
  readonly generation: number;
  /** Computed once, on first use. */
  digest?: Buffer;
  read?: SharedRead;
  servedFrom?: "memory" | "shared";
}

export interface CachedFacts extends CountedFacts {
  /** State of this decision in the caches (read-memory-cache). Absent if nothing is cached. */
  cache?: CacheState;
}

/** A backend's answer with the backend's name. */
type BackendAnswer = Pick<CachedResult, "decision" | "backendName">;

export type CacheLevel = "memory" | CacheFamily;

export interface ResultCachesDeps {
  /** The current settings; a reload replaces them. */
  readonly settings: () => ResultCacheSettings;
  readonly memory: MemoryCache;
  /** Absent if no configured feature needs it. */
  readonly shared: GuardedCache | undefined;
  readonly passwordDigest: PasswordDigest;
  readonly observeRead: (level: CacheLevel, outcome: ReadOutcome) => void;
  readonly observeWrite: (level: CacheLevel, outcome: WriteOutcome) => void;
}

const noDigest = Buffer.alloc(0);

function cacheKeyOf({ operation, username }: Attempt, context: string): CacheKey {
  return { family: operation === "lookup" ? "identity" : "result", username, context };
}

function digestOf({ password }: Attempt, facts: CacheState, digest: PasswordDigest): Buffer {
  facts.digest ??= password === undefined ? noDigest : digest(facts.context, password);
  return facts.digest;
}

async function lookInShared(
  attempt: Attempt,
  facts: CacheState,
  shared: GuardedCache,
  { passwordDigest, observeRead }: ResultCachesDeps,
): Promise<CachedResult | undefined> {
  const key = cacheKeyOf(attempt, facts.context);
  const read = await shared.read(key);
  if (typeof read === "string") {
    observeRead(key.family, read);
    return undefined;
  }
  facts.read = read;
  const { result } = read;
  const isHit = result !== undefined && sameDigest(result.digest, digestOf(attempt, facts, passwordDigest));
  observeRead(key.family, isHit ? "hit" : "miss");
  if (!isHit) return undefined;
  facts.servedFrom = "shared";
  return result;
}

/** A kept success must neither spare a grace login nor outlive the password. */
function mayKeep(warning: Ok["passwordWarning"], ttlMs: number): boolean {
  if (warning === undefined) return true;
  const { graceLoginsLeft, expiresInSeconds = 0 } = warning;
  return graceLoginsLeft === undefined && expiresInSeconds * 1000 > ttlMs;
}

/** The result caches, as the pipeline uses them. */
export function createResultCaches(deps: ResultCachesDeps) {
  const { settings, memory, shared, passwordDigest, observeRead, observeWrite } = deps;
  const rules = createCacheRules(settings, shared !== undefined);

  const keepInMemory = (attempt: Attempt, answer: BackendAnswer, facts: CacheState): void => {
    if (!rules.usesMemory(attempt)) return;
    const result = { ...answer, digest: digestOf(attempt, facts, passwordDigest), username: attempt.username };
    const isKept = memory.set(facts.context, result, facts.generation);
    observeWrite("memory", isKept ? "stored" : "stale");
  };
  const share = async (attempt: Attempt, answer: BackendAnswer, facts: CacheState, read: SharedRead): Promise<void> => {
    if (shared === undefined) return;
    const key = cacheKeyOf(attempt, facts.context);
    const result = { ...answer, digest: digestOf(attempt, facts, passwordDigest) };
    const outcome = await shared.write(key, { result, read, ttlMs: rules.sharedTtlMs(attempt) });
    observeWrite(key.family, outcome);
    // If the account was flushed while the backend was queried, the answer may be the flushed one.
    if (outcome !== "stale") keepInMemory(attempt, answer, facts);
  };

  return {
    /** Undefined for decisions that are never cached. */
    begin: (attempt: Attempt): CacheState | undefined => {
      const isKnown = attempt.operation === "lookup" || attempt.password !== undefined;
      if (!isKnown || (!rules.usesMemory(attempt) && !rules.usesShared(attempt))) return undefined;
      return { context: securityContext(attempt, settings().context), generation: memory.generation };
    },
    readMemory: (attempt: Attempt, facts: CacheState): CachedResult | undefined => {
      if (!rules.usesMemory(attempt)) return undefined;
      const found = memory.get(facts.context);
      const isHit = found !== undefined && sameDigest(found.digest, digestOf(attempt, facts, passwordDigest));
      observeRead("memory", isHit ? "hit" : "miss");
      if (!isHit) return undefined;
      facts.servedFrom = "memory";
      return found;
    },
    /** Undefined if the shared cache is not used for the decision. Never rejects. */
    readShared: async (attempt: Attempt, facts: CacheState): Promise<CachedResult | undefined> =>
      shared === undefined || !rules.usesShared(attempt) ? undefined : lookInShared(attempt, facts, shared, deps),
    /** Never rejects. */
    write: async (
      attempt: Attempt,
      { decision: { passwordWarning, ...decision }, backendName }: BackendAnswer,
      facts: CacheState,
    ): Promise<void> => {
      const { servedFrom, read } = facts;
      if (servedFrom === "memory" || !mayKeep(passwordWarning, Math.max(memory.ttlMs, rules.sharedTtlMs(attempt))))
        return;
      const answer = { decision, backendName };
      const isNew = servedFrom === undefined && read !== undefined && rules.mayShare(attempt, answer);
      if (isNew) await share(attempt, answer, facts, read);
      else keepInMemory(attempt, answer, facts);
    },
  };
}

export type ResultCaches = ReturnType<typeof createResultCaches>;
