import { type Domain, Domains, type PlacedName, RecordCache } from "@postern/shared/domain/domains";
import { type Config, usesDomains } from "@postern/shared/platform/config";
import type { Clock } from "@postern/shared/platform/time";
import { createScriptModules } from "../../../services/auth-engine/src/backends/context.ts";
import type { ServerLog } from "../../../services/auth-engine/src/backends/servers/target-set.ts";
import { createReadRecord } from "../../../services/auth-engine/src/domains/domain-source.ts";

const noScripts = {
  run: () => Promise.reject(new Error("the record is read by a script: test it with `postern script test`")),
};

/**
 * The name as its domain spells it, and the domain; undefined while all domains are decided by `auth.backends.order`.
 *
 * @throws Error if the source does not answer
 */
export async function placeName(
  config: Config,
  username: string,
  { log, clock }: { readonly log: ServerLog; readonly clock: Clock },
): Promise<(PlacedName & { readonly all: Domains }) | undefined> {
  if (!usesDomains(config)) return undefined;
  const { domains } = config.auth;
  const { source } = domains;
  if (source.kind === "none") {
    const all = new Domains(domains);
    return { ...(await all.place(username)), all };
  }
  const modules = createScriptModules(config, { logger: log });
  try {
    const read = createReadRecord(source, modules.functions, noScripts);
    const limits = { lifetimeMs: 1000, outageLifetimeMs: 1000, maxRecords: 1, maxUnknownPerSecond: 9 };
    const failures: unknown[] = [];
    const cache = new RecordCache(read, limits, { clock, onFailure: (error) => failures.push(error) });
    const all = new Domains(domains, cache);
    const placed = await Promise.resolve(all.place(username)).catch((error: unknown) => {
      throw failures[0] ?? error;
    });
    return { ...placed, all };
  } finally {
    await modules.close();
  }
}

/** The record in words. */
export function describeDomain(domain: Domain): string {
  if (!domain.isKnown) return "no record, and auth.domains.default is not enabled: denied like an unknown user";
  const { name, origin, backends, mailCredentials } = domain;
  const where = { records: "auth.domains.records", source: "the source", default: "auth.domains.default" }[origin];
  const order = backends.length > 0 ? backends.join(", ") : "auth.backends.order";
  return `${name === "" ? "a name without a domain" : name}, by ${where}; backends: ${order}${mailCredentials === "any" ? "" : `; mail programs need ${mailCredentials.replace("_", " ")}`}`;
}
