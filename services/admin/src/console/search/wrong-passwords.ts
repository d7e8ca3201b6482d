import type { Sentence, WrongPasswordSender } from "@postern/shared/contracts";
import type { RecordedDecision } from "@postern/shared/domain/history";
import { sentence } from "../../texts/messages.ts";
import { accountOf } from "../written.ts";
import { momentText } from "./phrases.ts";

/** What was sent earlier says nothing about a ban of today. */
const recentMs = 86_400_000;
export const maxSenders = 10;

/** A program is the same if account, name and protocol are; what names itself once is not what does not. */
const programKey = (record: RecordedDecision): string =>
  JSON.stringify([accountOf(record), record.client, record.protocol, record.channel]);

const isWrong = ({ reason }: RecordedDecision): boolean => reason === "wrong_password";

function senderOf(records: readonly RecordedDecision[]): readonly WrongPasswordSender[] {
  const wrong = records.filter(isWrong);
  const [last] = records;
  if (last === undefined || wrong.length === 0) return [];
  const { client, protocol, channel, clientIp, timeMs } = last;
  return [
    {
      account: accountOf(last),
      ...(client !== "" && { client }),
      protocol,
      channel,
      client_ip: clientIp,
      count: wrong.reduce((sum, { count }) => sum + count, 0),
      last_time: new Date(timeMs).toISOString(),
    },
  ];
}

/**
 * The programs that sent wrong passwords in the last 24 hours, the one with most first; what a ban then refused is theirs too.
 *
 * @param records newest first
 */
export function wrongPasswordSenders(
  records: readonly RecordedDecision[],
  nowMs: number,
): readonly WrongPasswordSender[] {
  const recent = records.filter(
    (record) => nowMs - record.timeMs < recentMs && (isWrong(record) || record.outcome === "blocked"),
  );
  const programs = [...Map.groupBy(recent, programKey).values()];
  return programs
    .flatMap(senderOf)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, maxSenders);
}

/** Which program it is, and whether it repeats one password. @param distinct number of wrong passwords for its account; 0 if unknown */
export function senderSentences(
  { account, client, protocol, client_ip: address, count, last_time: last }: WrongPasswordSender,
  distinct: number,
  nowMs: number,
): readonly Sentence[] {
  const facts = { account, protocol, address: address === "" ? "–" : address, at: momentText(last, nowMs) };
  const which =
    client === undefined ? sentence("sender.unnamed", facts) : sentence("sender.named", { ...facts, client });
  return [which, ...(distinct === 1 && count > 1 ? [sentence("sender.same")] : [])];
}

/** Fewer accounts are rather an office with a program that has an old password. */
const leastTried = 5;

/** Number of names that were tried from a place in vain, if no sign-in succeeded, as far as the history has them. Undefined if they are few. */
export function triedIn(records: readonly RecordedDecision[]): number | undefined {
  const failed = records.filter(({ outcome }) => outcome === "denied" || outcome === "blocked");
  const { size } = new Set(failed.map((record) => accountOf(record).toLowerCase()));
  return size >= leastTried && records.every(({ outcome }) => outcome !== "ok") ? size : undefined;
}
