import { createSecretKey, randomBytes } from "node:crypto";
import { Domains } from "@postern/shared/domain/domains";
import { createDecoys, createPasswordVerifier } from "@postern/shared/domain/passwords";
import { type Config, usesDomains } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { addTrustedRoots } from "@postern/shared/platform/net";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import { askBackends } from "../../../services/auth-engine/src/backends/ask-backends.ts";
import type { Backend } from "../../../services/auth-engine/src/backends/backend.ts";
import {
  createBackendOfNone,
  createBackendsByName,
} from "../../../services/auth-engine/src/domains/domain-backends.ts";
import { addressRule } from "../../../services/auth-engine/src/domains/own-addresses.ts";
import type { LookUp } from "../../../services/auth-engine/src/rehearsal/look-ups.ts";
import { domainRouting, hasDomainSource } from "../../../services/auth-engine/src/rehearsal/recorded-domains.ts";
import { liveEngineSettings } from "../../../services/auth-engine/src/settings.ts";
import { makeBackend } from "../directory/make-directory.ts";

/** Whether the changed configuration asks other backends, or asks them otherwise. A changed password alone is not seen. */
export function asksOtherBackends(before: Config, after: Config): boolean {
  const [old, next] = [before, after].map((config) => JSON.stringify([config.auth.backends, domainRouting(config)]));
  return old !== next;
}

const none = createBackendOfNone(async () => undefined);

/** Stands in for a script, which is not run. */
const unaskedScript = (name: string): Backend => ({
  ...none,
  name,
  lookup: async () => {
    throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "scripts are not run" });
  },
});

const quiet = { warn: () => undefined, info: () => undefined };

/**
 * The backends of a configuration as an engine asks them, for look-ups: those of the domain of each name. What a Lua script knows is not looked
 * up, nor are names of domains that only their source has.
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
  const close = async (): Promise<void> => {
    await Promise.allSettled(backends.map((backend) => backend.close()));
    await passwords.close();
  };
  try {
    for (const settings of liveEngineSettings(config).backends) {
      // Few, and the order is that in which they are asked.
      // oxlint-disable-next-line no-await-in-loop
      const backend = await makeBackend(settings, deps);
      backends.push(backend ?? unaskedScript(settings.settings.name));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const domains = usesDomains(config) ? new Domains(config.auth.domains) : undefined;
  const order = config.auth.backends.order.map((entry) => entry.trim()).filter((entry) => entry !== "cache");
  const byName = createBackendsByName({
    set: { current: backends },
    domains: () => domains,
    order: () => order,
    none,
    onForeign: () => undefined,
    addresses: { rule: () => addressRule(config), onForeignAddress: () => undefined },
  });
  const lookUp: LookUp = async ({ username, protocol, clientIp }) => {
    const context = { deadline: steadyClock.now() + timeoutMs, signal: AbortSignal.timeout(timeoutMs) };
    let isDisabled = false;
    try {
      const placed = await domains?.place(username);
      const isOfSource =
        hasDomainSource(config) && !(placed?.domain.isKnown === true && placed.domain.origin === "records");
      if (isOfSource) return "undecided";
      const { found, denied, unavailable } = await askBackends(await byName.of(username), async (backend) => {
        const outcome = await backend.lookup({ username: placed?.username ?? username, protocol, clientIp }, context);
        if (outcome.kind === "unknown_user" && outcome.isDisabled === true) isDisabled = true;
        return outcome;
      });
      if (found !== undefined) return "known";
      if (unavailable !== undefined || denied !== undefined) return "undecided";
      return isDisabled ? "disabled" : "unknown";
    } catch {
      return "undecided";
    }
  };
  return { lookUp, close };
}
