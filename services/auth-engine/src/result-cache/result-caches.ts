import type { KeyObject } from "node:crypto";
import { type AuthDecision, BackendKind, type Ok } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { GuardedCache, ReadOutcome, WriteOutcome } from "./guarded-cache.ts";
import type { MemoryCache } from "./memory-cache.ts";
import { passwordDigest, sameDigest } from "./password-digest.ts";
import { type ContextSettings, securityContext } from "./security-context.ts";
import type { CacheFamily, CacheQuestion, SharedLook } from "./shared-cache.ts";

/** What one decision knows of its place in the caches; made before a directory is asked. */
export interface CacheFacts {
  readonly context: string;
  /** Of the memory cache, before the directory was asked. */
  readonly generation: number;
  /** Computed once, when first wanted. */
  digest?: Buffer;
  look?: SharedLook;
  servedFrom?: "memory" | "shared";
}

/** The result caches, as the pipeline uses them. */
export interface ResultCaches {
  /** Undefined for what is never cached. */
  begin(attempt: Attempt): CacheFacts | undefined;
  readMemory(attempt: Attempt, facts: CacheFacts): Ok | undefined;
  /** Undefined at once where the shared cache has no part in the decision. */
  readShared(attempt: Attempt, facts: CacheFacts): Promise<Ok | undefined> | undefined;
  /** `directory`: the name of the one that decided. */
  write(attempt: Attempt, decision: Ok, facts: CacheFacts, directory: string | undefined): Promise<void> | undefined;
}

export type CacheLevel = "memory" | CacheFamily;

export interface ResultCacheSettings {
  readonly context: ContextSettings;
  readonly memoryEnabled: boolean;
  /** Names of the directories that stand behind `cache` in `auth.backends.order`. */
  readonly sharedDirectories: ReadonlySet<string>;
  readonly sharedTtlMs: number;
  readonly identityEnabled: boolean;
  readonly identityTtlMs: number;
}

export interface ResultCachesDeps {
  /** What holds now; a reload swaps it. */
  readonly settings: () => ResultCacheSettings;
  readonly memory: MemoryCache;
  /** Absent where nothing is configured that needs it. */
  readonly shared: GuardedCache | undefined;
  readonly digestKey: KeyObject;
  readonly observeRead: (level: CacheLevel, outcome: ReadOutcome) => void;
  readonly observeWrite: (level: CacheLevel, outcome: WriteOutcome) => void;
}

const noDigest = Buffer.alloc(0);

function familyOf({ operation }: Attempt): CacheFamily {
  return operation === "lookup" ? "identity" : "result";
}

function question(attempt: Attempt, context: string): CacheQuestion {
  return { family: familyOf(attempt), username: attempt.username, context };
}

export function createResultCaches(deps: ResultCachesDeps): ResultCaches {
  const { settings, memory, shared, digestKey, observeRead, observeWrite } = deps;

  const digestOf = ({ password }: Attempt, facts: CacheFacts): Buffer => {
    facts.digest ??= password === undefined ? noDigest : passwordDigest(digestKey, facts.context, password);
    return facts.digest;
  };
  const usesShared = ({ operation, sharedCache }: Attempt): boolean => {
    if (!sharedCache || shared === undefined) return false;
    const { identityEnabled, sharedDirectories } = settings();
    return operation === "lookup" ? identityEnabled : sharedDirectories.size > 0;
  };
  const usesMemory = ({ operation, memoryCache }: Attempt): boolean =>
    memoryCache && operation === "authenticate" && settings().memoryEnabled;

  const readShared = async (attempt: Attempt, facts: CacheFacts, cache: GuardedCache): Promise<Ok | undefined> => {
    const level = familyOf(attempt);
    const look = await cache.read(question(attempt, facts.context));
    if (typeof look === "string") {
      observeRead(level, look);
      return undefined;
    }
    facts.look = look;
    const { result } = look;
    const isHit = result !== undefined && sameDigest(result.digest, digestOf(attempt, facts));
    observeRead(level, isHit ? "hit" : "miss");
    if (!isHit) return undefined;
    facts.servedFrom = "shared";
    return result.decision;
  };
  /** Whether a directory's answer may enter the shared cache. */
  const mayShare = (attempt: Attempt, { backend }: Ok, directory: string | undefined): boolean => {
    if (!usesShared(attempt)) return false;
    if (attempt.operation === "lookup") return backend === BackendKind.ldap;
    return directory !== undefined && settings().sharedDirectories.has(directory);
  };
  const remember = (attempt: Attempt, decision: Ok, facts: CacheFacts): void => {
    if (!usesMemory(attempt)) return;
    const result = { decision, digest: digestOf(attempt, facts), username: attempt.username };
    memory.set(facts.context, result, facts.generation);
    observeWrite("memory", "stored");
  };
  const writeShared = async (
    attempt: Attempt,
    decision: Ok,
    facts: CacheFacts & { readonly look: SharedLook },
    cache: GuardedCache,
  ): Promise<void> => {
    const { sharedTtlMs, identityTtlMs } = settings();
    const outcome = await cache.write(question(attempt, facts.context), {
      result: { decision, digest: digestOf(attempt, facts) },
      look: facts.look,
      ttlMs: attempt.operation === "lookup" ? identityTtlMs : sharedTtlMs,
    });
    observeWrite(familyOf(attempt), outcome);
    // A flush came while the directory was asked: its answer may be the one that was flushed.
    if (outcome !== "stale") remember(attempt, decision, facts);
  };

  return {
    begin: (attempt) => {
      const isKnown = attempt.operation === "lookup" || attempt.password !== undefined;
      if (!isKnown || (!usesMemory(attempt) && !usesShared(attempt))) return undefined;
      return { context: securityContext(attempt, settings().context), generation: memory.generation };
    },
    readMemory: (attempt, facts) => {
      if (!usesMemory(attempt)) return undefined;
      const found = memory.get(facts.context);
      const isHit = found !== undefined && sameDigest(found.digest, digestOf(attempt, facts));
      observeRead("memory", isHit ? "hit" : "miss");
      if (!isHit) return undefined;
      facts.servedFrom = "memory";
      return found.decision;
    },
    readShared: (attempt, facts) =>
      shared === undefined || !usesShared(attempt) ? undefined : readShared(attempt, facts, shared),
    write: (attempt, decision, facts, directory) => {
      if (facts.servedFrom === "memory") return undefined;
      const { look } = facts;
      const fromDirectory = facts.servedFrom === undefined;
      if (fromDirectory && shared !== undefined && look !== undefined && mayShare(attempt, decision, directory)) {
        return writeShared(attempt, decision, { ...facts, look }, shared);
      }
      remember(attempt, decision, facts);
      return undefined;
    },
  };
}

/** Whether a decision may be cached at all: nothing but a success is. */
export function isCacheable(decision: AuthDecision): decision is Ok {
  return decision.outcome === "ok";
}
