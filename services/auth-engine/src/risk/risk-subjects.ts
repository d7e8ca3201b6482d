import type { RiskNames } from "@postern/shared/domain/risk";
import { createHotCache, remembering } from "@postern/shared/platform/cache";
import { riskAccountKey, riskReviewKey, riskSourceKey } from "@postern/shared/platform/redis";
import type { RiskSubject } from "../brute-force/shared-store.ts";

const maxNames = 16_384;
const maxAddresses = 16_384;
/** Longer names belong to no account and would fill the memory. */
const maxKeptLength = 256;
const none: RiskSubject = { id: "", key: "" };

/** Names and addresses recur, so their digests are cached. */
export function createRiskSubjects(names: RiskNames, keyPrefix: string) {
  const accounts = createHotCache<RiskSubject>(maxNames);
  const sourceOf = remembering(maxAddresses, (address) => {
    const id = names.network(address);
    return id === undefined ? none : { id, key: riskSourceKey.build(keyPrefix, id) };
  });
  return {
    /** Recognises a browser; empty if there is none. */
    device: (account: string, device: string | undefined = ""): string => names.device(account, device),
    /** Key of the suspicious sign-ins of the account with this digest. */
    reviewKey: (id: string): string => riskReviewKey.build(keyPrefix, id),
    account: (name: string): RiskSubject => {
      const known = accounts.get(name);
      if (known !== undefined) return known;
      const id = names.account(name);
      const subject = { id, key: riskAccountKey.build(keyPrefix, id) };
      if (name.length <= maxKeptLength) accounts.set(name, subject);
      return subject;
    },
    /** Undefined for anything but an address. */
    source: (address: string): RiskSubject | undefined => {
      const subject = sourceOf(address);
      return subject === none ? undefined : subject;
    },
  };
}

export type RiskSubjects = ReturnType<typeof createRiskSubjects>;
