import type { KeyedDigest } from "../../platform/crypto/keyed-digest.ts";
import { usualPassword } from "./parse-stored-password.ts";
import { costClass, type StoredPassword } from "./schemes.ts";
import { createWeightedChoice } from "./weighted-choice.ts";

/** A stored password of a kind that the site's accounts have, and how many accounts have that kind. */
export interface DecoySample {
  readonly stored: StoredPassword;
  readonly weight: number;
}

/**
 * Decoys in the proportions of the site's own schemes. If none are configured, they are learned from the accounts that are read, starting
 * with the default of current tools.
 * @param digest keyed with a secret that all replicas share, so that outsiders cannot predict which names get which cost.
 * @param samples the site's own proportions; empty: they are learned from the accounts that are read.
 */
export function createDecoys(digest: KeyedDigest, samples: readonly DecoySample[]) {
  const choice = createWeightedChoice<StoredPassword>(digest, ["usual", usualPassword]);
  if (samples.length > 0) choice.fix(samples.map(({ stored, weight }) => [costClass(stored), stored, weight]));
  return {
    /** Returns the same decoy for the same name, regardless of case, so that repeated probes learn nothing. */
    choose: (name: string): StoredPassword => choice.choose(name.toLowerCase()),
    /** Records that an account's stored password was read. */
    learn: (account: string, stored: StoredPassword): void => {
      if (samples.length === 0) choice.learn(account.toLowerCase(), costClass(stored), stored);
    },
  };
}

/** Stored passwords to verify in place of a missing one, so that an unknown account costs as much as a known one. */
export type Decoys = ReturnType<typeof createDecoys>;
