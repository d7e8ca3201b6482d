import { createSecretKey, randomBytes } from "node:crypto";
import { createDecoys, createPasswordVerifier } from "@postern/shared/domain/passwords";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { systemClock } from "@postern/shared/platform/time";
import type { BackendSettings } from "../../../services/auth-engine/src/backends/backend-settings.ts";
import { liveEngineSettings } from "../../../services/auth-engine/src/settings.ts";
import { type MakeDeps, makeBackend } from "../directory/make-directory.ts";
import { reasonOf } from "../directory/steps.ts";
import { type Check, type Finding, findingsOf } from "./finding.ts";

const quiet = { warn: () => undefined, info: () => undefined };

async function checkBackend(
  settings: BackendSettings,
  timeoutMs: number,
  isOfDomains: boolean,
): Promise<readonly Finding[]> {
  const { name } = settings.settings;
  const passwords = createPasswordVerifier({ concurrency: 1, maxQueued: 4 });
  // Never compared with a password here, so the decoys are arbitrary.
  const decoys = createDecoys(createKeyedDigest(createSecretKey(randomBytes(32))), []);
  const deps: MakeDeps = { clock: systemClock, log: quiet, passwords, decoys };
  try {
    const backend = await makeBackend(settings, deps);
    try {
      await backend?.check({ deadline: systemClock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) });
    } finally {
      await backend?.close();
    }
    return [];
  } catch (error) {
    const advice = `start the server, or correct auth.backends.${settings.kind}; postern directory test USER shows each step`;
    const why = `not usable: ${reasonOf(error)}`;
    const of = findingsOf(`backend ${name}`);
    if (!isOfDomains) return [of.problem(why, advice)];
    return [of.warning(`${why}. Users of its domains get temporary failures`, advice)];
  } finally {
    await passwords.close();
  }
}

/** Connects to each backend as an engine does. */
export function backendChecks(config: Config, timeoutMs: number): readonly Check[] {
  const { backends, ofDomains } = liveEngineSettings(config);
  return backends.map((settings) => ({
    subject: `backend ${settings.settings.name}`,
    run: () => checkBackend(settings, timeoutMs, ofDomains.has(settings.settings.name)),
  }));
}
