import type { RiskExplanation } from "@postern/shared/contracts";
import type { FindAccountNames } from "@postern/shared/domain/flush";
import type { DecisionHistory } from "@postern/shared/domain/history";
import {
  type AccountFacts,
  guessingNetworks,
  isKnownNetwork,
  type ReviewedSignIn,
  type RiskReviews,
  type RiskSettings,
} from "@postern/shared/domain/risk";
import type { Clock } from "@postern/shared/platform/time";
import { english } from "../../texts/texts.ts";
import type { Subject } from "../subject.ts";

export interface ExplainRiskDeps {
  readonly reviews: Pick<RiskReviews, "list" | "facts">;
  /** Undefined while no history is recorded. */
  readonly history: Pick<DecisionHistory, "ofReference"> | undefined;
  readonly accountNames: FindAccountNames;
  readonly settings: () => RiskSettings;
  readonly clock: Clock;
}

type IsVisible = (account: string) => boolean;
type Asked = Extract<Subject, { readonly kind: "account" | "reference" }>;
const minuteMs = 60_000;
const timeOf = (minute: number): string => new Date(minute * minuteMs).toISOString();

function writtenSignIn({
  minute,
  isRefused,
  network: _digest,
  responses,
  ...one
}: ReviewedSignIn): RiskExplanation["sign_ins"][number] {
  return {
    ...one,
    signals: [...one.signals],
    time: timeOf(minute),
    refused: isRefused,
    ...(responses !== undefined && { responses: [...responses] }),
  };
}

const names = (list: AccountFacts["countries"]): string[] => list.map(({ name }) => name);

type Known = Omit<RiskExplanation, "query" | "account" | "mode" | "sign_ins" | "incomplete">;

function writtenFacts(facts: AccountFacts | undefined, minute: number, settings: RiskSettings): Known {
  const none = { countries: [], systems: [], protocols: [], clients: [] };
  if (facts === undefined) return { ...none, is_learned: false, networks: [], guessing_networks: 0 };
  const { hold } = facts;
  const stateOf = (network: AccountFacts["networks"][number]): string => {
    if (network.isDoubted) return "doubted";
    return isKnownNetwork(network, minute, settings) ? "known" : "new";
  };
  return {
    since: timeOf(facts.sinceMinute),
    is_learned: minute - facts.sinceMinute >= settings.learningMinutes,
    networks: facts.networks.map((network) => ({
      country: network.country,
      system: network.system,
      state: stateOf(network),
      first: timeOf(network.firstMinute),
      last: timeOf(network.lastMinute),
    })),
    countries: names(facts.countries),
    systems: names(facts.systems),
    protocols: names(facts.protocols),
    clients: names(facts.clients),
    guessing_networks: guessingNetworks(facts, minute),
    ...(hold !== undefined &&
      hold.untilMinute > minute && {
        hold: { kind: hold.kind, until: timeOf(hold.untilMinute) },
      }),
  };
}

/** @throws what Redis throws */
export function createExplainRisk(deps: ExplainRiskDeps) {
  const { reviews, history, accountNames, settings, clock } = deps;
  const accountOf = async (
    subject: Asked,
    isVisible: IsVisible,
  ): Promise<{ account?: string; incomplete: string[] }> => {
    if (subject.kind === "reference") {
      if (history === undefined) return { incomplete: [english["incomplete.no_references"]] };
      const account = (await history.ofReference(subject.reference))?.account;
      const isKnown = account !== undefined && isVisible(account);
      return isKnown ? { account, incomplete: [] } : { incomplete: [english["incomplete.unknown_reference"]] };
    }
    const { accounts, isComplete } = await accountNames(subject.name);
    // Facts are kept under the account's own name.
    return { account: accounts[0] ?? subject.name, incomplete: isComplete ? [] : [english["incomplete.backend"]] };
  };
  /** @param isVisible whether the caller may learn of the account of a reference; an account that it names itself is one of those. */
  return async (query: string, subject: Asked, isVisible: IsVisible): Promise<RiskExplanation> => {
    const { account, incomplete } = await accountOf(subject, isVisible);
    const [facts, all] =
      account === undefined ? [undefined, []] : await Promise.all([reviews.facts(account), reviews.list(account)]);
    const matching = all.filter(
      ({ session }) => subject.kind === "account" || session.toLowerCase().startsWith(subject.reference),
    );
    const now = settings();
    return {
      query,
      ...(account !== undefined && { account }),
      mode: now.mode,
      ...writtenFacts(facts, Math.floor(clock.now() / minuteMs), now),
      sign_ins: matching.map(writtenSignIn),
      incomplete,
    };
  };
}
