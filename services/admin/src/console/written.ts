import type { AddressPlace, BanRecord, DecisionRecord } from "@postern/shared/contracts";
import { type Ban, type BruteForceRules, knownNetworkOf } from "@postern/shared/domain/brute-force";
import type { RecordedDecision } from "@postern/shared/domain/history";
import { reasonText } from "../texts/messages.ts";

const isoOf = (ms: number): string => new Date(ms).toISOString();

const dateOf = (day: number): string => isoOf(day * 86_400_000).slice(0, 10);

/** A record as the interface writes it: without members that have no value. */
export function writtenDecision(record: RecordedDecision, place: AddressPlace = {}): DecisionRecord {
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
    ...(account !== undefined && { account }),
    ...(username !== account && { username }),
    instance,
    session,
  };
}

export function writtenBan({ network, rule, bannedAtMs, expiresAtMs }: Ban, { rules }: BruteForceRules): BanRecord {
  const failures = rules.find(({ name }) => name === rule)?.failedRequests;
  const written = { network, rule, start: isoOf(bannedAtMs), end: isoOf(expiresAtMs) };
  return failures === undefined ? written : { ...written, failures };
}
