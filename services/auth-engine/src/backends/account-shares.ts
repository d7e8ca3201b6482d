import { createWeightedChoice } from "@postern/shared/domain/passwords";
import type { KeyedDigest } from "@postern/shared/platform/crypto";
import type { Backend } from "./backend.ts";

/**
 * The share of a site's accounts that each backend has, so that unknown names cost what known accounts cost. Counted by
 * backend name, so the counts survive a reload.
 */
export function createAccountShares(digest: KeyedDigest) {
  const choice = createWeightedChoice<string>(digest, ["", ""], 0);
  return {
    /** Counts an account that was found in a backend. */
    found: (account: string, { name }: Backend): void => choice.learn(account.toLowerCase(), name, name),
    /**
     * The backend in which an unknown name could have been, in proportion to the accounts found so far. The same name
     * always gets the same backend; before anything was learned, the first.
     */
    choose: <Any extends Backend>(name: string, among: readonly [Any, ...Any[]]): Any => {
      if (among.length === 1) return among[0];
      const names = among.map((backend) => backend.name);
      const chosen = choice.chooseAmong(name.toLowerCase(), names);
      return among.find((backend) => backend.name === chosen) ?? among[0];
    },
  };
}

export type AccountShares = ReturnType<typeof createAccountShares>;
