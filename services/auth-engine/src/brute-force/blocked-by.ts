import type { Blocked } from "@postern/shared/contracts";
import type { BruteForceFacts } from "./brute-force.ts";

/** The denial of a banned network; undefined without a ban. */
export function blockedBy({ rule, retryAfterSeconds }: BruteForceFacts): Blocked | undefined {
  if (rule === undefined) return undefined;
  const blocked = { outcome: "blocked", rule, memoryCache: "miss" } as const;
  return retryAfterSeconds === undefined ? blocked : { ...blocked, retryAfterSeconds };
}
