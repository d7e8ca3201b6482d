import type { AddressPlace, BanRecord, DecisionRecord } from "@postern/shared/contracts";
import { type Ban, type BruteForceRules, knownNetworkOf } from "@postern/shared/domain/brute-force";
import type { RecordedDecision } from "@postern/shared/domain/history";
import { reasonText } from "../texts/messages.ts";

const isoOf = (ms: number): string => new Date(ms).toISOString();

const dateOf = (day: number): string => isoOf(day * 86_400_000).slice(0, 10);

interface Named {
  readonly place?: AddressPlace;
  /** Of the account, or of the name that was typed. */
  readonly domain?: string | undefined;
}

function writtenName({ account, username, domain }: Pick<RecordedDecision, "account" | "username"> & Named) {
  return {
    ...(account !== undefined && { account }),
    ...(username !== account && { username }),
    ...(domain !== undefined && { domain }),
  };
}

/** A record as the interface writes it: without members that have no value. */
export function writtenDecision(record: RecordedDecision, { place = {}, domain }: Named = {}): DecisionRecord {
  const { timeMs, firstMs, count, outcome, reason, rule, channel, step, protocol, client, clientIp } = record;
  const { account, username, instance, session, days } = record;
  const network = knownNetworkOf(clientIp);
  return {
    time: isoOf(timeMs),
    first_time: isoOf(firstMs),
    count,
    ...(days && { days: days.map(({ day, count: ofDay }) => ({ date: dateOf(day), count: ofDay })) }),
    outcome,
    ...(reason !== "" && { reason }),
    text: reasonText({ outcome, reason, rule, step }),
    ...(rule !== "" && { rule }),
    channel,
    ...(step !== "" && { step }),
    protocol,
    ...(client !== "" && { client }),
    client_ip: clientIp,
    ...(network !== undefined && { network }),
    ...(Object.keys(place).length > 0 && { place }),
    ...writtenName({ account, username, domain }),
    instance,
    session,
  };
}

export function writtenBan({ network, rule, bannedAtMs, expiresAtMs }: Ban, { rules }: BruteForceRules): BanRecord {
  const failures = rules.find(({ name }) => name === rule)?.failedRequests;
  const written = { network, rule, start: isoOf(bannedAtMs), end: isoOf(expiresAtMs) };
  return failures === undefined ? written : { ...written, failures };
}

/** Each ban once, although several of the addresses may be in its network. */
export const uniqueBans = (bans: readonly Ban[]): readonly Ban[] => [
  ...new Map(bans.map((ban) => [`${ban.rule} ${ban.network}`, ban])).values(),
];

/** The account of a sign-in; the name as typed, if no backend has it. */
export const accountOf = ({ account, username }: Pick<RecordedDecision, "account" | "username">): string =>
  account ?? username;
