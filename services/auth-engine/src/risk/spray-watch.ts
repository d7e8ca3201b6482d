import { decodeSourceFacts, type Meeting, noteAccountOfSource, type SourceFacts } from "@postern/shared/domain/risk";
import { createHotCache } from "@postern/shared/platform/cache";
import type { RiskRead } from "../brute-force/shared-store.ts";
import type { FactWriter } from "./fact-writer.ts";

/** Fewer accounts are ordinary for a network, and cost Redis no memory. */
const fewAccounts = 3;
const maxNetworks = 16_384;
const hourMinutes = 60;

interface Few {
  readonly hour: number;
  readonly accounts: Set<string>;
}

/** Counts the accounts that a network tries. */
export function createSprayWatch(sources: Pick<FactWriter<SourceFacts>, "add">) {
  const few = { wrong: createHotCache<Few>(maxNetworks), strange: createHotCache<Few>(maxNetworks) };
  const add = ({ keys, source }: RiskRead, account: string, encounter: { meeting: Meeting; minute: number }): void => {
    sources.add(keys.source.key, source, (facts) => {
      const next = noteAccountOfSource(facts, { account, ...encounter });
      return next === facts ? undefined : next;
    });
  };
  /** Networks without facts are remembered here, until they have tried several accounts. */
  const gather = (
    read: RiskRead,
    account: string,
    encounter: { meeting: "wrong" | "strange"; minute: number },
  ): void => {
    const { id } = read.keys.source;
    const hour = Math.floor(encounter.minute / hourMinutes);
    const gathered = few[encounter.meeting];
    const known = gathered.get(id);
    const current = known?.hour === hour ? known : { hour, accounts: new Set<string>() };
    current.accounts.add(account);
    if (current.accounts.size < fewAccounts) return gathered.set(id, current);
    gathered.delete(id);
    for (const one of current.accounts) {
      add(read, one, encounter);
      if (encounter.meeting === "strange") add(read, one, { ...encounter, meeting: "right" });
    }
  };
  /** Most are in the facts already. */
  const addNew = (read: RiskRead, account: string, encounter: { meeting: Meeting; minute: number }): void => {
    const facts = decodeSourceFacts(read.source);
    if (noteAccountOfSource(facts, { account, ...encounter }) !== facts) add(read, account, encounter);
  };
  return {
    wrong: (read: RiskRead, account: string, minute: number): void => {
      const encounter = { meeting: "wrong", minute } as const;
      if (read.source === "") gather(read, account, encounter);
      else add(read, account, encounter);
    },
    /** `isStrange`: the account did not know the network. Other accounts are only noted if there are facts about the network. */
    right: (
      read: RiskRead,
      account: string,
      { minute, isStrange }: { readonly minute: number; readonly isStrange: boolean },
    ): void => {
      if (read.source === "") {
        if (isStrange) gather(read, account, { meeting: "strange", minute });
        return;
      }
      if (isStrange) addNew(read, account, { meeting: "strange", minute });
      addNew(read, account, { meeting: "right", minute });
    },
  };
}
