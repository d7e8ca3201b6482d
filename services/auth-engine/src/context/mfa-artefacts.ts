import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { createWorkGate } from "@postern/shared/passwords";
import { systemClock } from "@postern/shared/time";
import type { Directory } from "../directories/directory.ts";
import { type AppPasswordUses, createAppPasswordUses } from "../mfa-artefacts/app-password-uses.ts";
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

export function createMfaArtefactParts(config: Config, directories: () => readonly Directory[]): MfaArtefactParts {
  const hashing = createWorkGate({ concurrency: 1, maxQueued: maxRecoveryQueue });
  return {
    secondFactors: createSecondFactors({ directories, ring: keyRingFromConfig(config, "mfa-artefact"), hashing }),
    appPasswords: createAppPasswords({ directories, clock: systemClock }),
    appPasswordUses: createAppPasswordUses({ clock: systemClock }),
    closeMfaArtefacts: () => hashing.close(),
  };
}
