import {
  accountDigest,
  type Difference,
  type DifferenceKind,
  differenceKinds,
  differencePlace,
  type Omission,
  type ShadowBatch,
  shadowProtocol,
  totalFields,
} from "@postern/shared/domain/shadow";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
import type { Clock } from "@postern/shared/platform/time";
import type { Comparison } from "./compare.ts";

/** What waits while Redis is away: as many differences, and as many agreements. An account that finds no place is compared again. */
const maxPlaces = 5000;
/** Of domains; those beyond count together, as in Redis. All other counts are few. */
const maxDomains = 1000;
const otherDomains = "*";
/** Redis does nothing else while a script runs. */
const placesAtATime = 500;
const maxLength = 256;

/** About whom a comparison was. */
export interface ComparedAccount {
  readonly account: string;
  readonly protocol: string;
  /** Whether either side knows the account. */
  readonly isKnown: boolean;
}

/** Names without a domain count together. */
function domainOf(account: string): string {
  const at = account.lastIndexOf("@");
  return at === -1 ? "-" : account.slice(at + 1, at + 1 + maxLength).toLowerCase();
}

export const kindsIn = (comparison: Comparison): readonly DifferenceKind[] =>
  differenceKinds.filter((kind) => comparison.get(kind) !== undefined);

/** Collects comparisons until they are written. */
export function createShadowCounter(clock: Clock, digest: KeyedDigest) {
  let counts = new Map<string, number>();
  const domains = new Set<string>();
  const differences = new Map<string, Difference>();
  /** Places without a difference. An account usually has several, so they must not take the room of differences. */
  const agreements = new Map<string, undefined>();
  let number = 0;

  const raise = (field: string): void => void counts.set(field, (counts.get(field) ?? 0) + 1);
  const countedDomain = (account: string): string => {
    const domain = domainOf(account);
    if (domains.size >= maxDomains && !domains.has(domain)) return otherDomains;
    domains.add(domain);
    return domain;
  };
  const raiseAll = (count: "compared" | "different", { account, protocol, isKnown }: ComparedAccount): void => {
    raise(totalFields[count]);
    raise(totalFields.protocol(shadowProtocol(protocol), count));
    // Strangers choose names, but not those that a backend has.
    if (isKnown) raise(totalFields.domain(countedDomain(account), count));
  };
  const place = (of: string, difference: Difference | undefined): void => {
    const isWaiting = differences.delete(of) || agreements.delete(of);
    if (difference === undefined) {
      if (isWaiting || agreements.size < maxPlaces) agreements.set(of, undefined);
    } else if (isWaiting || differences.size < maxPlaces) differences.set(of, difference);
  };
  return {
    compared: (about: ComparedAccount, comparison: Comparison): void => {
      raiseAll("compared", about);
      const kinds = kindsIn(comparison);
      if (kinds.length > 0) raiseAll("different", about);
      for (const kind of kinds) raise(totalFields.kind(kind));
      if (!about.isKnown) return;
      const account = about.account.slice(0, maxLength);
      const protocol = about.protocol.slice(0, maxLength);
      const [counted, ofAccount] = [shadowProtocol(protocol), accountDigest(account, digest)];
      for (const [kind, found] of comparison)
        place(differencePlace(kind, counted, ofAccount), found && { ...found, account, protocol });
    },
    omitted: (reason: Omission): void => raise(reason),
    /** How many batches there are to write. */
    waiting: (): number =>
      Math.max(counts.size === 0 ? 0 : 1, Math.ceil((differences.size + agreements.size) / placesAtATime)),
    /** The next batch, differences first; undefined if there is nothing to write. */
    take: (): ShadowBatch | undefined => {
      if (counts.size === 0 && differences.size + agreements.size === 0) return undefined;
      const taken = new Map<string, Difference | undefined>([...differences, ...agreements].slice(0, placesAtATime));
      for (const of of taken.keys()) if (!differences.delete(of)) agreements.delete(of);
      number += 1;
      const batch = { number, timeMs: clock.now(), counts, differences: taken };
      counts = new Map();
      domains.clear();
      return batch;
    },
  };
}

export type ShadowCounter = ReturnType<typeof createShadowCounter>;
