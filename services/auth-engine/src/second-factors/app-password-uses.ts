import { abortAfter } from "@postern/shared/platform/concurrency";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { MfaAccount, StoredAppPassword } from "../backends/second-factor-store.ts";
import { isUseNews } from "./app-passwords.ts";

/** Outcome of a sign-in with an app password, for the metric. */
export const appPasswordOutcomes = ["ok", "wrong", "disabled", "unavailable"] as const;
export type AppPasswordOutcome = (typeof appPasswordOutcomes)[number];

/** More time than a backend may take; no sign-in waits for it. */
const withinMs = 5000;
/** Bound for a backend that hangs. A use that is not written now is written at the next sign-in. */
const maxAtOnce = 64;
/** `dropped`: too many writes were in progress. */
export const appPasswordUseResults = ["written", "failed", "dropped"] as const;
export type AppPasswordUseResult = (typeof appPasswordUseResults)[number];

/** Called with the result of each write. */
export type OnAppPasswordUse = (result: AppPasswordUseResult, error?: unknown) => void;

/** Records when app passwords were last used. */
export function createAppPasswordUses(clock: Clock, onResult: OnAppPasswordUse) {
  const running = new Set<Promise<void>>();
  return {
    /** Writes the use if the last one was written long enough ago. A failure to write does not affect the sign-in. */
    recordUse(account: MfaAccount, appPassword: StoredAppPassword): void {
      const seconds = Math.floor(clock.now() / 1000);
      if (!isUseNews(appPassword, seconds)) return;
      if (running.size >= maxAtOnce) return onResult("dropped");
      const context = { deadline: steadyClock.now() + withinMs, signal: abortAfter(withinMs) };
      const one = account
        .touchAppPassword(appPassword.id, seconds, context)
        .then(
          () => onResult("written"),
          (error: unknown) => onResult("failed", error),
        )
        .finally(() => running.delete(one));
      running.add(one);
    },
    /** Resolves when no write is in progress, at most 5 s after the last `recordUse`. */
    async settled(): Promise<void> {
      await Promise.all(running);
    },
  };
}

export type AppPasswordUses = ReturnType<typeof createAppPasswordUses>;
