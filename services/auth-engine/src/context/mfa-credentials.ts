import { keyRingFromConfig } from "@postern/shared/assembly";
import { createWorkGate } from "@postern/shared/domain/passwords";
import type { Config } from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import { systemClock } from "@postern/shared/platform/time";
import type { Backend } from "../backends/backend.ts";
import type { EngineMetrics } from "../metrics.ts";
import {
  type AppPasswordUses,
  type AppPasswordUsesDeps,
  createAppPasswordUses,
} from "../mfa-credentials/app-password-uses.ts";
import { type AppPasswords, createAppPasswords } from "../mfa-credentials/app-passwords.ts";
import { createSecondFactors } from "../mfa-credentials/create-second-factors.ts";
import type { SecondFactors } from "../mfa-credentials/second-factors.ts";

/** Recovery codes are rare; many at a time are guesses. */
const maxRecoveryQueue = 16;

export interface MfaCredentialParts {
  readonly secondFactors: SecondFactors;
  readonly appPasswords: AppPasswords;
  readonly appPasswordUses: AppPasswordUses;
  /** Ends the hashing of recovery codes. */
  readonly closeMfaCredentials: () => Promise<void>;
}

/**
 * Logs the first of several consecutive failures: a backend that cannot be written would otherwise add a line for every
 * sign-in.
 */
function createUseReporter({
  logger,
  metrics,
}: Pick<MfaCredentialDeps, "logger" | "metrics">): AppPasswordUsesDeps["onResult"] {
  let isFailing = false;
  return (result, err) => {
    metrics.appPasswordUse(result);
    if (result === "failed" && !isFailing) logger.warn({ err }, "the last use of an app password could not be written");
    if (result !== "dropped") isFailing = result === "failed";
  };
}

interface MfaCredentialDeps {
  readonly backends: () => readonly Backend[];
  readonly logger: Logger;
  readonly metrics: Pick<EngineMetrics, "appPasswordUse">;
}

export function createMfaCredentialParts(
  config: Config,
  { backends, logger, metrics }: MfaCredentialDeps,
): MfaCredentialParts {
  const hashing = createWorkGate({ concurrency: 1, maxQueued: maxRecoveryQueue });
  return {
    secondFactors: createSecondFactors({ backends, ring: keyRingFromConfig(config, "mfa-artefact"), hashing }),
    appPasswords: createAppPasswords(backends, systemClock),
    appPasswordUses: createAppPasswordUses({ clock: systemClock, onResult: createUseReporter({ logger, metrics }) }),
    closeMfaCredentials: () => hashing.close(),
  };
}
