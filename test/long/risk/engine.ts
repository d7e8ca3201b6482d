import {
  type AccountFacts,
  type AssessedSignIn,
  type Assessment,
  assess,
  encodeAccountFacts,
  encodeSourceFacts,
  holdOf,
  isDoubted,
  noteSignIn,
  noteWrongPassword,
  type RiskSettings,
  type RiskVerdict,
  type SourceFacts,
  verdictOf,
} from "@postern/shared/domain/risk";
import { createSprayWatch } from "../../../services/auth-engine/src/risk/spray-watch.ts";

export interface Scored {
  readonly signIn: AssessedSignIn;
  readonly found: Assessment;
  readonly refusal: RiskVerdict["refusal"];
  /** Only a hold that began earlier refused it, not its own score. */
  readonly isHeld: boolean;
}

/** One engine with `enforce`: the pure functions that the real one uses, in its order, with facts in memory. */
export interface SimulatedEngine {
  /** Sign-ins that arrive together: each is scored before any of them is remembered. */
  readonly signIn: (account: string, signIns: readonly AssessedSignIn[]) => readonly Scored[];
  readonly wrongPassword: (account: string, network: string, minute: number) => void;
  /** What Redis would hold for the accounts. */
  readonly values: () => readonly string[];
}

const minutesPerHour = 60;

/** Facts about networks that send wrong passwords; forgotten after two hours, like their keys in Redis. */
function createSources() {
  const sources = new Map<string, SourceFacts>();
  const spray = createSprayWatch({
    add: (key, _read, change) => {
      const next = change(sources.get(key));
      if (next !== undefined) sources.set(key, next);
    },
  });
  const find = (network: string, minute: number): SourceFacts | undefined => {
    const facts = sources.get(network);
    if (facts === undefined || facts.hour >= Math.floor(minute / minutesPerHour) - 1) return facts;
    sources.delete(network);
    return undefined;
  };
  const readOf = (account: string, network: string, minute: number) => {
    const facts = find(network, minute);
    const keys = { account: { id: account, key: account }, source: { id: network, key: network } };
    return { keys, account: "", source: facts === undefined ? "" : encodeSourceFacts(facts) };
  };
  return { spray, find, readOf };
}

export function createSimulatedEngine(settings: RiskSettings): SimulatedEngine {
  const accounts = new Map<string, AccountFacts>();
  const { spray, find, readOf } = createSources();

  const score = (before: AccountFacts | undefined, signIn: AssessedSignIn): Scored & { verdict: RiskVerdict } => {
    const found = assess(before, find(signIn.network, signIn.minute), signIn, settings);
    const verdict = verdictOf(before, signIn, found, settings);
    const free = before?.hold === undefined ? before : { ...before, hold: undefined };
    const isHeld = verdict.refusal !== undefined && verdictOf(free, signIn, found, settings).refusal === undefined;
    return { signIn, found, refusal: verdict.refusal, isHeld, verdict };
  };
  const note = (account: string, { signIn, found, verdict }: ReturnType<typeof score>): void => {
    const { minute, network } = signIn;
    const isRefused = verdict.refusal !== undefined;
    const doubts = isDoubted(found);
    const hold = holdOf(verdict, found, { minute, settings });
    if (!isRefused || doubts) {
      accounts.set(account, noteSignIn(accounts.get(account), signIn, { isDoubted: doubts, hold, ages: settings }));
    }
    const { isStrange } = found;
    if (!isRefused || isStrange) spray.right(readOf(account, network, minute), account, { minute, isStrange });
  };
  return {
    signIn: (account, signIns) => {
      const before = accounts.get(account);
      const scored = signIns.map((signIn) => score(before, signIn));
      for (const one of scored) note(account, one);
      return scored;
    },
    wrongPassword: (account, network, minute) => {
      spray.wrong(readOf(account, network, minute), account, minute);
      const before = accounts.get(account);
      if (before !== undefined) accounts.set(account, noteWrongPassword(before, { network, minute }));
    },
    values: () => [...accounts.values()].map(encodeAccountFacts),
  };
}
