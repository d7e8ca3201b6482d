import { canonicalDomain } from "@postern/shared/platform/net";
import { denial } from "../pipeline/step.ts";
import type { ControlSettings } from "./control-settings.ts";
import type { Control } from "./controls.ts";

/** The domain of `local@domain`; undefined for a name without a domain or with more than one `@`. */
function domainOf(username: string): string | undefined {
  const [, domain, ...more] = username.split("@");
  return domain === undefined || domain === "" || more.length > 0 ? undefined : comparable(domain);
}

/** `canonicalDomain` knows no domain with one label, which may be served. */
function comparable(domain: string): string {
  return canonicalDomain(domain) ?? domain.toLowerCase();
}

/**
 * Denies users of domains that are not served, before any backend is queried or failure counted. Without domains, every
 * domain is served.
 */
export function createRelayDomains({ domains, allowlist }: NonNullable<ControlSettings["relayDomains"]>): Control {
  const served = new Set(domains.map((domain) => comparable(domain)));
  return {
    name: "relay_domains",
    check: ({ username, masterLogin, clientIp }, { facts }) => {
      const account = masterLogin?.user ?? username;
      const domain = domainOf(account);
      if (domain === undefined || served.size === 0) return undefined;
      facts.relayDomainKnown = served.has(domain);
      if (facts.relayDomainKnown || allowlist.has(account, clientIp)) return undefined;
      return denial("unknown_relay_domain");
    },
  };
}
