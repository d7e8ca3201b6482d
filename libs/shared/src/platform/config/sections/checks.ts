import { isMapping } from "../../json/index.ts";
import { canonicalDomain } from "../../net/canonical-domain.ts";
import { parseCidr } from "../../net/cidr-set.ts";
import { isLoopback } from "../../net/ip.ts";
import { messages } from "../messages.ts";
import { didYouMean, type Report } from "../problem.ts";
import type { Config } from "./root.ts";

/** Where rules between keys report: a problem refuses the configuration, a warning does not. */
export interface Judgement {
  readonly problem: Report;
  readonly warning: Report;
}

/** Whether the content cannot be modified in transit: TLS, or this machine. */
export function isSafeToFetch(address: string): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  return url.protocol === "https:" || isLoopback(url.hostname);
}

/** Every entry of a list at `path` must be one of the known names. */
export function checkNames(
  names: readonly string[],
  known: readonly string[],
  path: string,
  report: (path: string, name: string, hint: string | undefined) => void,
): void {
  names.forEach((name, index) => {
    if (!known.includes(name)) report(`${path}[${index}]`, name, didYouMean(name, known));
  });
}

/** The list at `path` may contain only what Postern serves. */
export function checkServed(
  words: readonly string[],
  served: readonly string[],
  path: string,
  { problem }: Judgement,
): void {
  if (words.some((word) => !served.includes(word))) problem(path, messages.notServed(served.join(", ")));
}

/** No entry of the list at `path` leaves this key empty. */
export function checkFilled<Name extends string>(
  list: readonly Readonly<Record<Name, string>>[],
  path: string,
  key: Name,
  { problem }: Judgement,
): void {
  list.forEach((entry, index) => {
    if (entry[key] === "") problem(`${path}[${index}].${key}`, messages.required);
  });
}

/** No two entries of the list at `path` have the same value of this key. */
export function checkUnique<Name extends string>(
  list: readonly Readonly<Record<Name, string>>[],
  [path, key]: readonly [path: string, key: Name],
  reason: string,
  { problem }: Judgement,
): void {
  const seen = new Set<string>();
  for (const [index, { [key]: value }] of list.entries()) {
    if (seen.has(value)) problem(`${path}[${index}].${key}`, reason);
    seen.add(value);
  }
}

/** A name that is set is that of a domain. */
export function checkDomain(name: string, path: string, { problem }: Pick<Judgement, "problem">): void {
  if (name !== "" && canonicalDomain(name) === undefined) problem(path, messages.mustBe("a domain name"));
}

/** Every entry of the list at `path` is the name of a domain. */
export function checkDomains(names: readonly string[], path: string, { problem }: Judgement): void {
  names.forEach((name, index) => {
    if (canonicalDomain(name) === undefined) problem(`${path}[${index}]`, messages.mustBe("a domain name"));
  });
}

/** Networks by name of a user: each value must be a list of networks. */
export function checkNetworkLists(lists: unknown, path: string, expected: string, { problem }: Judgement): void {
  if (!isMapping(lists)) return;
  for (const [name, networks] of Object.entries(lists)) {
    const isValid = Array.isArray(networks) && networks.every((one) => parseCidr(String(one)) !== undefined);
    if (!isValid) problem(`${path}.${name}`, messages.mustBe(expected));
  }
}

/** The keys that a section needs while its key `enabled` is true. */
export function checkEnabled<Name extends string>(
  section: Readonly<Record<Name, string>> & { readonly enabled: boolean },
  path: string,
  names: readonly Name[],
  { problem }: Judgement,
): void {
  if (!section.enabled) return;
  for (const name of names) {
    if (section[name] === "") problem(`${path}.${name}`, messages.needsWhen(`${path}.enabled is true`));
  }
}

/** A certificate and its private key are set together. */
export function checkPair<Name extends string>(
  section: Readonly<Record<Name, string>>,
  path: string,
  [cert, key]: readonly [cert: Name, key: Name],
  { problem }: Judgement,
): void {
  if (section[cert] !== "" && section[key] === "") problem(`${path}.${cert}`, messages.pairOfFiles(`${path}.${key}`));
  if (section[key] !== "" && section[cert] === "") problem(`${path}.${key}`, messages.pairOfFiles(`${path}.${cert}`));
}

/** What needs `storage.redis.encryption_secret` stores nothing unencrypted. */
export function checkEncryption(
  redis: { readonly encryption_secret: string },
  condition: string,
  { problem }: Judgement,
): void {
  if (redis.encryption_secret === "") problem("storage.redis.encryption_secret", messages.needsWhen(condition));
}

/** The host of an address or URL if it is another machine. */
export function remoteHostOf(address: string): string | undefined {
  const url = URL.parse(address.includes("://") ? address : `tcp://${address}`);
  const host = url === null ? "" : url.hostname.replaceAll(/[[\]]/g, "");
  return host === "" || isLoopback(host) ? undefined : host;
}

/** Whether any domain has rules of its own. */
export function usesDomains({ auth }: Config): boolean {
  const { records, source } = auth.domains;
  return records.length > 0 || source.kind !== "none";
}

/** The domain that a listener's clients mean by a name without one; empty for that of the site. */
export function checkDefaultDomain(config: Config, name: string, path: string, judgement: Judgement): void {
  if (name !== "" && !usesDomains(config)) judgement.problem(path, messages.needsDomains);
  checkDomain(name, path, judgement);
}
