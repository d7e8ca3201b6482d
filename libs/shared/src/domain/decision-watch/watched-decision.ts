import type { WatchedDecision, WatchFilter } from "../../contracts/index.ts";
import { createCidrSet } from "../../platform/net/index.ts";
import { foldedName } from "../brute-force/index.ts";
import { type DecisionNote, decisionChannels, decisionOutcomes } from "../history/decision-record.ts";

/** Callers choose these texts. */
const nameLength = 256;
const wordLength = 64;

const name = (text: string): string => text.slice(0, nameLength);
const word = (text: string): string => text.slice(0, wordLength);

/** A decision as it crosses the bus. */
export function watchedDecision(note: DecisionNote): WatchedDecision {
  const { timeMs, outcome, channel, account, username, clientIp, protocol, reason, rule, step, client, session } = note;
  return {
    timeMs,
    outcome,
    channel,
    ...(account !== undefined && { account: name(account) }),
    username: name(username),
    clientIp: word(clientIp),
    protocol: word(protocol),
    reason: word(reason),
    rule: word(rule),
    step: word(step),
    client: name(client),
    session: word(session),
  };
}

/** A decision that crossed the bus. Undefined if a later version knows an outcome or channel that this one does not. */
export function seenDecision(seen: WatchedDecision): DecisionNote | undefined {
  const outcome = decisionOutcomes.find((one) => one === seen.outcome);
  const channel = decisionChannels.find((one) => one === seen.channel);
  if (outcome === undefined || channel === undefined) return undefined;
  return { ...seen, outcome, channel, account: seen.account };
}

/** All conditions of a filter apply. @throws RangeError if its network is none */
export function matcherOf({ names, network, outcomes }: WatchFilter): (note: DecisionNote) => boolean {
  const wanted = names && new Set(names);
  const place = network === undefined ? undefined : createCidrSet([network]);
  const isWanted = (text: string | undefined): boolean => text !== undefined && wanted?.has(foldedName(text)) === true;
  return ({ account, username, clientIp, outcome }) => {
    if (outcomes !== undefined && !outcomes.includes(outcome)) return false;
    if (place !== undefined && !place.has(clientIp)) return false;
    return wanted === undefined || isWanted(account) || isWanted(username);
  };
}
