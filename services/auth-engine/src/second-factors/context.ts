import { keyRingFromConfig } from "@postern/shared/assembly";
import type { Domains } from "@postern/shared/domain/domains";
import { createWorkGate } from "@postern/shared/domain/passwords";
import type { Config } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { DomainCounts } from "../domain-counts/domain-counts.ts";
import type { Foundation } from "../foundation.ts";
import { createAppPasswords, createAppPasswordUses, type OnAppPasswordUse } from "./app-passwords.ts";
import { createSecondFactors, type SecondFactors } from "./second-factors.ts";

/** Recovery codes are rare; many at a time are guesses. */
const maxRecoveryQueue = 16;

interface Parts extends Pick<Foundation, "base" | "metrics"> {
  readonly backends: BackendsByName;
  readonly domains: { readonly current: Pick<Domains, "inMemory"> | undefined };
  readonly domainCounts: Pick<DomainCounts, "hasFactors">;
}

/**
 * Logs the first of several consecutive failures: a backend that cannot be written would otherwise add a line for every
 * sign-in.
 */
function createUseReporter({ base: { logger }, metrics }: Parts): OnAppPasswordUse {
  let isFailing = false;
  return (result, err) => {
    metrics.appPasswordUse(result);
    if (result === "failed" && !isFailing) logger.warn({ err }, "the last use of an app password could not be written");
    if (result !== "dropped") isFailing = result === "failed";
  };
}

/** Reads factors, and counts which kinds an account has. */
function counted({ readFactors }: SecondFactors, { domains, domainCounts }: Parts): SecondFactors["readFactors"] {
  return async (request, context) => {
    const found = await readFactors(request, context);
    if (found.outcome !== "ok") return found;
    const { account, hasTotp, webauthnCredentials, appPasswords } = found;
    domainCounts.hasFactors(domains.current?.inMemory(account), account, [
      ...(hasTotp || webauthnCredentials.length > 0 ? (["second_factors"] as const) : []),
      ...(appPasswords > 0 ? (["app_passwords"] as const) : []),
    ]);
    return found;
  };
}

export function createSecondFactorParts(config: Config, parts: Parts) {
  const { backends } = parts;
  const hashing = createWorkGate(1, maxRecoveryQueue);
  const secondFactors = createSecondFactors(backends, keyRingFromConfig(config, "mfa-artefact"), hashing);
  return {
    secondFactors: { ...secondFactors, readFactors: counted(secondFactors, parts) },
    appPasswords: createAppPasswords(backends, systemClock),
    appPasswordUses: createAppPasswordUses(systemClock, createUseReporter(parts)),
    /** Ends the hashing of recovery codes. */
    closeSecondFactors: () => hashing.close(),
  };
}
