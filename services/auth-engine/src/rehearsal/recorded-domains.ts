import { Domains, type PlacedName } from "@postern/shared/domain/domains";
import { type Config, usesDomains } from "@postern/shared/platform/config";
import { placedMasterLogin } from "../domains/place-attempt.ts";
import type { Attempt } from "../pipeline/attempt.ts";

/** Whether the records of domains are outside of the configuration. A rehearsal does not query their source. */
export const hasDomainSource = ({ auth }: Config): boolean => auth.domains.source.kind !== "none";

/** What of the domains decides which backends know a name. */
export function domainRouting({ auth }: Config): object {
  const { records, default: others, default_domain: own, source } = auth.domains;
  const routes = records.map(({ name, aliases, backends }) => ({ name, aliases, backends }));
  return { routes, others: [others.enabled, others.backends], own, source };
}

/** The domains of a configuration that has all records; undefined if there are none, or if a source has some. */
export function recordedDomains(config: Config): Domains | undefined {
  return usesDomains(config) && !hasDomainSource(config) ? new Domains(config.auth.domains) : undefined;
}

/** The attempt with its domain, as an engine places it. */
export function placeRecorded(attempt: Attempt, domains: Domains): Attempt {
  const place = (name: string): PlacedName => {
    const placed = domains.place(name);
    if (placed instanceof Promise) throw new Error("these domains have no source");
    return placed;
  };
  const { masterLogin, username } = attempt;
  if (masterLogin === undefined) return { ...attempt, ...place(username) };
  return placedMasterLogin(attempt, place(masterLogin.user), username.includes("@") ? place(username) : undefined);
}
