import { decodeSourceFacts, noteAccountOfSource, type SourceFacts } from "@postern/shared/domain/risk";
import { createHotCache } from "@postern/shared/platform/cache";
import type { RiskRead } from "../brute-force/risk-read.ts";
import type { FactWriter } from "./fact-writer.ts";

/** Notes for how many accounts a network sends wrong passwords. */
export interface SprayWatch {
  readonly wrong: (read: RiskRead, account: string, minute: number) => void;
  /** Only for networks that sent several wrong ones. */
  readonly right: (read: RiskRead, account: string, minute: number) => void;
}

/** Fewer accounts with wrong passwords are ordinary for a network, and cost Redis no memory. */
const fewAccounts = 3;
const maxNetworks = 16_384;
const hourMinutes = 60;

interface Few {
  readonly hour: number;
  readonly accounts: Set<string>;
}

export function createSprayWatch(sources: Pick<FactWriter<SourceFacts>, "add">): SprayWatch {
  const few = createHotCache<Few>(maxNetworks);
  const add = ({ keys, source }: RiskRead, account: string, given: { isRight: boolean; minute: number }): void => {
    sources.add(keys.source.key, source, (facts) => {
      const next = noteAccountOfSource(facts, { account, ...given });
      return next === facts ? undefined : next;
    });
  };
  return {
    wrong: (read, account, minute) => {
      const given = { isRight: false, minute };
      if (read.source !== "") return add(read, account, given);
      const { id } = read.keys.source;
      const hour = Math.floor(minute / hourMinutes);
      const known = few.get(id);
      const current = known?.hour === hour ? known : { hour, accounts: new Set<string>() };
      current.accounts.add(account);
      if (current.accounts.size < fewAccounts) return few.set(id, current);
      few.delete(id);
      for (const one of current.accounts) add(read, one, given);
    },
    right: (read, account, minute) => {
      if (read.source === "") return;
      const facts = decodeSourceFacts(read.source);
      const given = { isRight: true, minute };
      if (noteAccountOfSource(facts, { account, ...given }) !== facts) add(read, account, given);
    },
  };
}
