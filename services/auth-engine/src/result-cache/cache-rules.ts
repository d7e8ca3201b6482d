import { BackendKind } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedResult } from "./cached-result.ts";
import type { ContextSettings } from "./security-context.ts";

export interface ResultCacheSettings {
  readonly context: ContextSettings;
  readonly memoryEnabled: boolean;
  /** Names of the directories that stand behind `cache` in `auth.backends.order`. */
  readonly sharedDirectories: ReadonlySet<string>;
  readonly sharedTtlMs: number;
  readonly identityEnabled: boolean;
  readonly identityTtlMs: number;
}

/** Which cache has a part in which decision. `in-memory=0` and `cache=0` are obeyed here. */
export interface CacheRules {
  usesMemory(attempt: Attempt): boolean;
  usesShared(attempt: Attempt): boolean;
  /** Whether this answer of this directory may enter the shared cache. */
  mayShare(attempt: Attempt, answer: Pick<CachedResult, "decision" | "directory">): boolean;
  sharedTtlMs(attempt: Attempt): number;
}

export function createCacheRules(settings: () => ResultCacheSettings, hasShared: boolean): CacheRules {
  const usesShared = ({ operation, sharedCache }: Attempt): boolean => {
    if (!sharedCache || !hasShared) return false;
    const { identityEnabled, sharedDirectories } = settings();
    return operation === "lookup" ? identityEnabled : sharedDirectories.size > 0;
  };
  return {
    usesMemory: ({ operation, memoryCache }) => memoryCache && operation === "authenticate" && settings().memoryEnabled,
    usesShared,
    mayShare: (attempt, { decision, directory }) => {
      if (!usesShared(attempt)) return false;
      if (attempt.operation === "lookup") return decision.backend === BackendKind.ldap;
      return settings().sharedDirectories.has(directory);
    },
    sharedTtlMs: ({ operation }) => (operation === "lookup" ? settings().identityTtlMs : settings().sharedTtlMs),
  };
}
