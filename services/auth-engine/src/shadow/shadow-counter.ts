import {
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

/** What waits while Redis is away. An account that finds no place is compared again. */
const maxPlaces = 5000;
const maxCounts = 2000;
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
  const differences = new Map<string, Difference | undefined>();
  let number = 0;

  const raise = (field: string): void => {
    const count = counts.get(field);
    if (count !== undefined || counts.size < maxCounts) counts.set(field, (count ?? 0) + 1);
  };
  const raiseAll = (count: "compared" | "different", { account, protocol, isKnown }: ComparedAccount): void => {
    raise(totalFields[count]);
    raise(totalFields.protocol(shadowProtocol(protocol), count));
    // Strangers choose names, but not those that a backend has.
    if (isKnown) raise(totalFields.domain(domainOf(account), count));
  };
  const place = (of: string, difference: Difference | undefined): void => {
    if (differences.has(of) || differences.size < maxPlaces) differences.set(of, difference);
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
      for (const [kind, found] of comparison) {
        const difference = found && { ...found, account, protocol };
        place(differencePlace(kind, account, { protocol: shadowProtocol(protocol), digest }), difference);
      }
    },
    omitted: (reason: Omission): void => raise(reason),
    /** The next batch; undefined if there is nothing to write. */
    take: (): ShadowBatch | undefined => {
      if (counts.size === 0 && differences.size === 0) return undefined;
      const taken = new Map([...differences].slice(0, placesAtATime));
      for (const of of taken.keys()) differences.delete(of);
      number += 1;
      const batch = { number, timeMs: clock.now(), counts, differences: taken };
      counts = new Map();
      return batch;
    },
  };
}

export type ShadowCounter = ReturnType<typeof createShadowCounter>;
