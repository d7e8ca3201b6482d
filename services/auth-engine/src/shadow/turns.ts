import { createBoundedCache } from "@postern/shared/platform/cache";
import type { Clock } from "@postern/shared/platform/time";

export interface Turns {
  /** Whether an account has its turn, which it then has taken. */
  readonly take: (account: string) => boolean;
  /** The account may have the next turn at once. */
  readonly giveBack: (account: string) => void;
}

const ttlMs = 3_600_000;
/** Keys are digests of the same length, so that this takes a few megabytes. */
const maxEntries = 50_000;

/** One turn an hour for each account. Of more accounts than fit, those whose turn was taken first have the next one earlier. */
export function createTurns(clock: Clock): Turns {
  const taken = createBoundedCache<1>({ maxEntries, evict: "oldest", clock, ttlMs });
  return {
    take: (account) => {
      if (taken.get(account) !== undefined) return false;
      taken.set(account, 1);
      return true;
    },
    giveBack: (account) => {
      taken.delete(account);
    },
  };
}
