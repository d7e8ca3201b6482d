import { BackendKind } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { CachedResult } from "./cached-result.ts";
import type { ContextSettings } from "./security-context.ts";

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
export function createCacheRules(settings: () => ResultCacheSettings, hasShared: boolean) {
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
    mayShare: (
      attempt: Attempt,
      { decision, backendName }: Pick<CachedResult, "decision" | "backendName">,
    ): boolean => {
      if (!usesShared(attempt)) return false;
      if (attempt.operation === "lookup") return decision.backend === BackendKind.ldap;
      return settings().sharedBackends.has(backendName);
    },
    sharedTtlMs: ({ operation }: Attempt): number =>
      operation === "lookup" ? settings().identityTtlMs : settings().sharedTtlMs,
  };
}
