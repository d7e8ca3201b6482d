import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import type { Logger } from "@postern/shared/logging";
import { createWorkGate } from "@postern/shared/passwords";
import { systemClock } from "@postern/shared/time";
import type { Directory } from "../directories/directory.ts";
import type { EngineMetrics } from "../metrics.ts";
import {
  type AppPasswordUses,
  type AppPasswordUsesDeps,
  createAppPasswordUses,
} from "../mfa-artefacts/app-password-uses.ts";
import { type AppPasswords, createAppPasswords } from "../mfa-artefacts/app-passwords.ts";
import { createSecondFactors } from "../mfa-artefacts/create-second-factors.ts";
import type { SecondFactors } from "../mfa-artefacts/second-factors.ts";

/** Recovery codes are rare; what comes in crowds is guessing. */
const maxRecoveryQueue = 16;

export interface MfaArtefactParts {
  readonly secondFactors: SecondFactors;
  readonly appPasswords: AppPasswords;
  readonly appPasswordUses: AppPasswordUses;
  /** Ends the derivations of recovery codes. */
  readonly closeMfaArtefacts: () => Promise<void>;
}

/** The first of a row is logged: a directory that takes no writes would fill the log with every login. */
function toldUses({ logger, metrics }: Pick<Told, "logger" | "metrics">): AppPasswordUsesDeps["onResult"] {
  let isFailing = false;
  return (result, err) => {
    metrics.appPasswordUse(result);
    if (result === "failed" && !isFailing) logger.warn({ err }, "the last use of an app password could not be written");
    if (result !== "dropped") isFailing = result === "failed";
  };
}

interface Told {
  readonly directories: () => readonly Directory[];
  readonly logger: Logger;
  readonly metrics: Pick<EngineMetrics, "appPasswordUse">;
}

export function createMfaArtefactParts(config: Config, { directories, logger, metrics }: Told): MfaArtefactParts {
  const hashing = createWorkGate({ concurrency: 1, maxQueued: maxRecoveryQueue });
  return {
    secondFactors: createSecondFactors({ directories, ring: keyRingFromConfig(config, "mfa-artefact"), hashing }),
    appPasswords: createAppPasswords({ directories, clock: systemClock }),
    appPasswordUses: createAppPasswordUses({ clock: systemClock, onResult: toldUses({ logger, metrics }) }),
    closeMfaArtefacts: () => hashing.close(),
  };
}
