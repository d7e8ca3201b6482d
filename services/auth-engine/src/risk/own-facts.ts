import { type AccountFacts, decodeAccountFacts, type RiskStore } from "@postern/shared/domain/risk";
import { createHotCache } from "@postern/shared/platform/cache";
import type { RiskRead, RiskSubject } from "../brute-force/shared-store.ts";
import type { RiskSubjects } from "./risk-subjects.ts";

const maxRemembered = 16_384;

export interface OwnFacts {
  readonly subject: RiskSubject;
  readonly read: string;
}

/** Values recur with every sign-in of an account, so the decoded form of the last one is kept. */
function createDecoder() {
  const decoded = createHotCache<{ readonly value: string; readonly facts: AccountFacts | undefined }>(maxRemembered);
  return ({ id }: RiskSubject, value: string): AccountFacts | undefined => {
    if (value === "") return undefined;
    const known = decoded.get(id);
    if (known?.value === value) return known.facts;
    const facts = decodeAccountFacts(value);
    decoded.set(id, { value, facts });
    return facts;
  };
}

/**
 * Reads the facts about accounts, which are kept under the account's own name. Other names for it are remembered, and read once more each.
 */
export function createOwnFactsReader(subjects: Pick<RiskSubjects, "account">, store: Pick<RiskStore, "read">) {
  const aliases = createHotCache<RiskSubject>(maxRemembered);
  const readAs = async (subject: RiskSubject, typed: string): Promise<OwnFacts | undefined> => {
    try {
      const read = await store.read(subject.key);
      aliases.set(typed, subject);
      return { subject, read: read ?? "" };
    } catch {
      // Redis became unavailable in between.
      return undefined;
    }
  };
  return {
    decode: createDecoder(),
    /** The account of a typed name, as far as it is known before the decision. */
    subjectOf: (typed: string): RiskSubject => aliases.get(typed) ?? subjects.account(typed),
    /** Undefined if Redis became unavailable in between. */
    ofAccount: (
      account: string,
      typed: string,
      { keys, account: read }: RiskRead,
    ): OwnFacts | Promise<OwnFacts | undefined> => {
      const subject = subjects.account(account);
      return subject.id === keys.account.id ? { subject, read } : readAs(subject, typed);
    },
  };
}

export type OwnFactsReader = ReturnType<typeof createOwnFactsReader>;
