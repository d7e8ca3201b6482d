import { canonicalDomain } from "../../net/canonical-domain.ts";
import { messages } from "../messages.ts";
import type { Judgement } from "./checks.ts";
import type { Config } from "./root.ts";

/** Whether any domain has rules of its own. */
export function usesDomains({ auth }: Config): boolean {
  const { records, source } = auth.domains;
  return records.length > 0 || source.kind !== "none";
}

/** The domain that a listener's clients mean by a name without one; empty for that of the site. */
export function checkDefaultDomain(config: Config, name: string, path: string, { problem }: Judgement): void {
  if (name === "") return;
  if (!usesDomains(config)) problem(path, messages.needsDomains);
  if (canonicalDomain(name) === undefined) problem(path, messages.mustBe("a domain name"));
}
