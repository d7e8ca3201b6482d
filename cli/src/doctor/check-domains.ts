import type { ScriptRunner } from "@postern/shared/domain/scripts";
import type { Config } from "@postern/shared/platform/config";
import { createScriptModules } from "../../../services/auth-engine/src/backends/context.ts";
import { createReadRecord } from "../../../services/auth-engine/src/domains/domain-source.ts";
import { reasonOf } from "../directory/steps.ts";
import { type Check, type Finding, findingsOf } from "./finding.ts";

const subject = "domain source";
const quiet = { warn: () => undefined, info: () => undefined };

/** A domain that nobody has (RFC 2606). */
const probe = "postern-doctor.invalid";

/** Scripts run in engines only. */
const noScripts: ScriptRunner["run"] = async () => undefined;

async function checkSource(config: Config, timeoutMs: number): Promise<readonly Finding[]> {
  const { source } = config.auth.domains;
  const modules = createScriptModules(config, { logger: quiet });
  const read = createReadRecord({ ...source, timeout: Math.min(source.timeout, timeoutMs) }, modules.functions, {
    run: noScripts,
  });
  try {
    const found = await read(probe);
    if (found === undefined) return [];
    const advice = "let the query or filter of auth.domains.source select the one domain that it is asked for";
    return [findingsOf(subject).problem("has a record for every domain", advice)];
  } catch (error) {
    const advice = "start the server, or correct auth.domains.source: names of new domains get temporary failures";
    return [findingsOf(subject).problem(`not usable: ${reasonOf(error)}`, advice)];
  } finally {
    await modules.close();
  }
}

/** Asks the source of domain records as an engine does. */
export function domainChecks(config: Config, timeoutMs: number): readonly Check[] {
  const { kind } = config.auth.domains.source;
  if (kind !== "sql" && kind !== "ldap") return [];
  return [{ subject, run: () => checkSource(config, timeoutMs) }];
}
