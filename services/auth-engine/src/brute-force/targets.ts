import {
  accountKeys,
  type RulePlace,
  ruleIsFor,
  type Source,
  type SourceParts,
  sourceOf,
} from "@postern/shared/brute-force";
import type { Attempt } from "../pipeline/attempt.ts";
import { createBoundedMap } from "./bounded-map.ts";
import type { Target } from "./guess-store.ts";
import type { BruteForceSettings } from "./settings.ts";

const maxSources = 16_384;
const nobody = Symbol("no source");

/** Which rules an attempt is subject to; undefined for none. Addresses come again, so what they are is kept. */
export function createTargets(
  settings: BruteForceSettings,
  parts: SourceParts,
): (attempt: Attempt) => Target | undefined {
  const sources = createBoundedMap<Source | typeof nobody>(maxSources);
  const filtered = settings.rules.some(({ protocols, oidcClientIds }) => protocols.length + oidcClientIds.length > 0);

  const sourceAt = (address: string): Source | typeof nobody => {
    const known = sources.get(address);
    if (known !== undefined) return known;
    const listed = settings.addressAllowlist?.has(address) === true;
    const source = (listed ? undefined : sourceOf(address, parts)) ?? nobody;
    sources.set(address, source);
    return source;
  };
  const placesOf = ({ places }: Source, { protocol, oidcClientId }: Attempt): readonly RulePlace[] =>
    filtered ? places.filter(({ rule }) => ruleIsFor(rule, protocol, oidcClientId)) : places;

  return (attempt) => {
    const { clientIp, protocol, username } = attempt;
    if (clientIp === undefined || settings.protocols?.has(protocol) === false) return undefined;
    const source = sourceAt(clientIp);
    if (source === nobody) return undefined;
    if (settings.userAllowlist.size > 0 && settings.userAllowlist.get(username.toLowerCase())?.has(clientIp) === true) {
      return undefined;
    }
    const places = placesOf(source, attempt);
    return places.length === 0 ? undefined : { source, places, username, keys: accountKeys(parts, source, username) };
  };
}
