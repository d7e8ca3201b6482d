import { createSecretKey, randomBytes } from "node:crypto";
import { createDecoys, createPasswordVerifier } from "@postern/shared/domain/passwords";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { addTrustedRoots } from "@postern/shared/platform/net";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { askBackends } from "../../../services/auth-engine/src/backends/ask-backends.ts";
import type { Backend } from "../../../services/auth-engine/src/backends/backend.ts";
import { liveEngineSettings } from "../../../services/auth-engine/src/settings.ts";
import { makeBackend } from "../directory/make-directory.ts";
import type { LookUp } from "./look-ups.ts";

/** Whether the changed configuration asks other backends, or asks them otherwise. A changed password alone is not seen. */
export function asksOtherBackends(before: Config, after: Config): boolean {
  const [old, next] = [before, after].map(({ auth }) => JSON.stringify(auth.backends));
  return old !== next;
}

const quiet = { warn: () => undefined, info: () => undefined };

/**
 * The backends of a configuration as an engine asks them, for look-ups. What a Lua script knows is not looked up.
 *
 * @throws Error if a certificate or a database cannot be opened
 */
export async function openBackends(config: Config) {
  addTrustedRoots(config.runtime.outgoing_tls.ca_file);
  const timeoutMs = config.runtime.timeouts.decision;
  const passwords = createPasswordVerifier({ concurrency: 1, maxQueued: 4 });
  // Nothing is compared with a password here, so the decoys are arbitrary.
  const decoys = createDecoys(createKeyedDigest(createSecretKey(randomBytes(32))), []);
  const deps = { clock: systemClock, log: quiet, passwords, decoys };
  const backends: Backend[] = [];
  let hasScript = false;
  const close = async (): Promise<void> => {
    await Promise.allSettled(backends.map((backend) => backend.close()));
    await passwords.close();
  };
  try {
    for (const settings of liveEngineSettings(config).backends) {
      // Few, and the order is that in which they are asked.
      // oxlint-disable-next-line no-await-in-loop
      const backend = await makeBackend(settings, deps);
      if (backend === undefined) hasScript = true;
      else backends.push(backend);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const lookUp: LookUp = async ({ username, protocol, clientIp }) => {
    const context = { deadline: steadyClock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
    let isDisabled = false;
    try {
      const { found, denied, unavailable } = await askBackends(backends, async (backend) => {
        const outcome = await backend.lookup({ username, protocol, clientIp }, context);
        if (outcome.kind === "unknown_user" && outcome.isDisabled === true) isDisabled = true;
        return outcome;
      });
      if (found !== undefined) return "known";
      if (unavailable !== undefined || denied !== undefined || hasScript) return "undecided";
      return isDisabled ? "disabled" : "unknown";
    } catch {
      return "undecided";
    }
  };
  return { lookUp, close };
}
