import { foldedName } from "@postern/shared/domain/brute-force";
import { createBoundedCache } from "@postern/shared/platform/cache";
import { abortAfter, type CallerDeadline } from "@postern/shared/platform/concurrency";
import { fromUnknown, logFields } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import { steadyClock } from "@postern/shared/platform/time";
import { lookUpAccount } from "../backends/ask-backends.ts";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { Attempt } from "../pipeline/attempt.ts";
import type { SuspensionsDep } from "./refuse-suspended.ts";

/** A mail server waits for the answer, also for names that no account has. */
const lookUpMs = 300;
const accountsKept = { maxEntries: 10_000, ttlMs: 5000 };

/**
 * Whether the account behind a typed name is suspended, for mail servers that verify passwords themselves. The backends are asked only while
 * any account is suspended; if they do not answer, the name as typed counts.
 */
export function createSuspensionCheck(
  { suspensions, logger }: SuspensionsDep & { readonly logger: Logger },
  backends: BackendsByName,
) {
  /** The account behind a name of a protocol; empty if there is none. */
  const accounts = createBoundedCache<string>({ ...accountsKept, evict: "oldest", clock: steadyClock });
  const lookUp = async (attempt: Attempt, call: CallerDeadline): Promise<string> => {
    const deadline = Math.min(call.deadline, steadyClock.now() + lookUpMs);
    const context = { deadline, signal: abortAfter(lookUpMs, call.signal), facts: {} };
    const found = await lookUpAccount(attempt, context, backends);
    return found.outcome === "ok" ? found.account : "";
  };
  const accountOf = async (attempt: Attempt, call: CallerDeadline): Promise<string> => {
    const { session, username, protocol } = attempt;
    const key = JSON.stringify([protocol, username]);
    const kept = accounts.get(key);
    if (kept !== undefined) return kept;
    try {
      const account = await lookUp(attempt, call);
      accounts.set(key, account);
      return account;
    } catch (thrown) {
      const fields = { session, protocol, ...logFields(fromUnknown(thrown)) };
      logger.warn(fields, "whether the account is suspended could not be looked up: only the name as typed counted");
      return "";
    }
  };
  const isRefused = (names: readonly string[]): boolean => {
    const isFound = names.some((name) => suspensions.find(name) !== undefined);
    if (isFound) suspensions.refused();
    return isFound;
  };
  return {
    /** From memory. */
    isNamed: ({ username }: Attempt): boolean =>
      suspensions.isAny() && username !== "" && isRefused([username, foldedName(username)]),
    /** Asks the backends, at most for a short time. Never rejects. */
    isBehind: async (attempt: Attempt, call: CallerDeadline): Promise<boolean> =>
      suspensions.isAny() && attempt.username !== "" && isRefused([await accountOf(attempt, call)]),
  };
}

export type SuspensionCheck = ReturnType<typeof createSuspensionCheck>;
