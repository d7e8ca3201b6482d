import { type Base, liveDomainsFromConfig } from "@postern/shared/assembly";
import type { Suspensions } from "@postern/shared/domain/suspensions";
import type { Bus } from "@postern/shared/platform/bus";
import type { Config } from "@postern/shared/platform/config";
import { AccountDomains } from "./account-domains.ts";
import { createIsRefused } from "./refused-accounts.ts";

/** The domains of the site, and which accounts have no access because of theirs. */
export function createDomains(config: Config, base: Pick<Base, "audit">, bus: Bus, suspensions: Suspensions) {
  const liveDomains = liveDomainsFromConfig(config, base, bus);
  const domains = new AccountDomains(liveDomains);
  return { liveDomains, domains, isRefused: createIsRefused(suspensions, domains) };
}
