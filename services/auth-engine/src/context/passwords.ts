import { type Base, scriptPasswordReports, unverifiablePasswordCounter } from "@postern/shared/assembly";
import { createPasswordVerifier, type DataFault, type PasswordVerifier } from "@postern/shared/domain/passwords";
import type { Config } from "@postern/shared/platform/config";
import type { EngineSettings } from "../settings.ts";
import { type DecoysOf, decoysMaker } from "./decoys.ts";

/** The password verifier, and the decoys that are verified if there is no password to verify. */
export interface PasswordParts {
  readonly passwords: PasswordVerifier;
  readonly decoysOf: DecoysOf;
  /** Called if a sign-in was denied because a stored password can never be verified. */
  readonly countUnverifiable: (reason: DataFault) => void;
}

export function createPasswordParts(config: Config, { hashing }: EngineSettings, base: Base): PasswordParts {
  const countUnverifiable = unverifiablePasswordCounter(base);
  const onUnverifiable = scriptPasswordReports(base, countUnverifiable);
  return {
    passwords: createPasswordVerifier({ ...hashing, onUnverifiable }),
    decoysOf: decoysMaker(config),
    countUnverifiable,
  };
}
