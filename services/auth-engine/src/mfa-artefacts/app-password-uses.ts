import type { Clock } from "@postern/shared/time";
import { isUseNews } from "./app-passwords.ts";
import type { MfaAccount, StoredAppPassword } from "./mfa-artefacts.ts";

/** What came of a login with an app password, for the counter. */
export const appPasswordOutcomes = ["ok", "wrong", "disabled", "unavailable"] as const;
export type AppPasswordOutcome = (typeof appPasswordOutcomes)[number];

/** Longer than a directory may take; no login waits for it. */
const withinMs = 5000;
/** A directory that hangs must not collect them: the next use of the password is news still. */
const maxAtOnce = 64;

/** Notes when app passwords were last used. */
export interface AppPasswordUses {
  /** Writes it where it is news. A directory that cannot be written now says nothing against the login. */
  readonly note: (account: MfaAccount, appPassword: StoredAppPassword) => void;
  /** Resolves when none is being written, at most 5 s after the last `note`. */
  readonly settled: () => Promise<void>;
}

/** `dropped`: too many were being written. */
export const appPasswordUseResults = ["written", "failed", "dropped"] as const;
export type AppPasswordUseResult = (typeof appPasswordUseResults)[number];

export interface AppPasswordUsesDeps {
  readonly clock: Clock;
  /** Told what became of each that was news. */
  readonly onResult: (result: AppPasswordUseResult, error?: unknown) => void;
}

export function createAppPasswordUses({ clock, onResult }: AppPasswordUsesDeps): AppPasswordUses {
  const running = new Set<Promise<void>>();
  return {
    note(account, appPassword) {
      const now = clock.now();
      const seconds = Math.floor(now / 1000);
      if (!isUseNews(appPassword, seconds)) return;
      if (running.size >= maxAtOnce) return onResult("dropped");
      const context = { deadline: now + withinMs, signal: AbortSignal.timeout(withinMs) };
      const one = account
        .touchAppPassword(appPassword.id, seconds, context)
        .then(
          () => onResult("written"),
          (error: unknown) => onResult("failed", error),
        )
        .finally(() => running.delete(one));
      running.add(one);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
