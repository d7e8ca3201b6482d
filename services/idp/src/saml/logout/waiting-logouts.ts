import type { NamedLogout } from "./logout.ts";

/**
 * Verified logout requests that another site has posted. They wait for a request of the same browser that has its cookies.
 * Every method throws AppError `REDIS_UNAVAILABLE` if Redis cannot answer.
 */
export interface WaitingLogouts {
  /** Stores a request under a new id. */
  save(logout: NamedLogout): Promise<string>;
  /** Reads and deletes a request: of concurrent calls, one gets it. */
  take(id: string): Promise<NamedLogout | undefined>;
}
