import type { DecisionRecord } from "@postern/shared/contracts";
import type { RecordedDecision } from "@postern/shared/domain/history";
import type { Rehearsal } from "./rehearsal.ts";
import type { SignIn } from "./sign-in.ts";

/** The members of a record on which a replay depends. */
type HistoryRecord = Pick<
  DecisionRecord,
  "time" | "count" | "days" | "outcome" | "reason" | "rule" | "channel" | "step" | "protocol" | "client_ip" | "session"
> &
  Partial<Pick<DecisionRecord, "account" | "username">>;

const dayMs = 86_400_000;

/** A record as the interface writes it. */
export function writtenRecord({ timeMs, days, clientIp, account, username, ...same }: RecordedDecision): HistoryRecord {
  const { count, outcome, reason, rule, channel, step, protocol, session } = same;
  return {
    time: new Date(timeMs).toISOString(),
    ...(days && {
      days: days.map(({ day, count: ofDay }) => ({
        date: new Date(day * dayMs).toISOString().slice(0, 10),
        count: ofDay,
      })),
    }),
    count,
    outcome,
    reason,
    rule,
    channel,
    protocol,
    session,
    ...(step !== "" && { step }),
    client_ip: clientIp,
    ...(account !== undefined && { account }),
    username,
  };
}

const outcomes = { ok: "ok", denied: "fail", blocked: "blocked", undecided: "tempfail" } as const;
const dialects = { mail: "json", browser: "idp", jwt: "jwt" } as const;

const isKnownOutcome = (text: string): text is keyof typeof outcomes => Object.hasOwn(outcomes, text);
const isReplayed = (text: string): text is keyof typeof dialects => Object.hasOwn(dialects, text);

/** Why a record is not replayed; undefined if it is. */
function leftOutBecause({ channel, step = "password" }: HistoryRecord): string | undefined {
  if (step !== "password") return "steps after the password on the sign-in pages, which are not replayed";
  return channel === "mail_server" ? "verified by a mail server itself, which is not replayed" : undefined;
}

interface Part {
  readonly timeMs: number;
  readonly count: number;
}

/** Days with the number of ordinary successes on each; the time of the record for what was recorded individually. */
function partsOf({ time, count, days }: HistoryRecord): readonly Part[] {
  const latestMs = Date.parse(time);
  if (days === undefined) return [{ timeMs: latestMs, count }];
  return days.map(({ date, count: ofDay }) => ({
    timeMs: time.startsWith(date) ? latestMs : Date.parse(`${date}T00:00:00Z`),
    count: ofDay,
  }));
}

/** The sign-ins of a record since a time; a day with ordinary successes counts as a whole. Undefined for a record that cannot be read. */
export function signInsOf(record: HistoryRecord, sinceMs: number): readonly SignIn[] | undefined {
  const { outcome, account, username = account, protocol, channel, reason = "", rule = "", client_ip: ip } = record;
  if (!isKnownOutcome(outcome) || !isReplayed(channel) || username === undefined) return undefined;
  const parts = partsOf(record);
  if (parts.some(({ timeMs }) => !Number.isSafeInteger(timeMs))) return undefined;
  const firstMs = record.days === undefined ? sinceMs : new Date(sinceMs).setUTCHours(0, 0, 0, 0);
  const recent = parts.filter(({ timeMs }) => timeMs >= firstMs);
  return recent.map((part) => ({
    ...part,
    session: record.session,
    dialect: dialects[channel],
    operation: "authenticate",
    outcome: outcomes[outcome],
    reason: outcome === "blocked" ? rule : reason,
    username,
    protocol,
    clientIp: ip === "" ? undefined : ip,
    tls: false,
    accountPasswords: undefined,
    networkGuesses: 0,
  }));
}

/** Replays what a record stands for, in the order of its days. */
export async function addRecord(rehearsal: Rehearsal, record: HistoryRecord, sinceMs: number): Promise<void> {
  const why = leftOutBecause(record);
  if (why !== undefined) {
    const { leftOut } = rehearsal.counts;
    leftOut.set(why, (leftOut.get(why) ?? 0) + record.count);
    return;
  }
  const signIns = signInsOf(record, sinceMs);
  if (signIns === undefined) rehearsal.unreadable += 1;
  // oxlint-disable-next-line no-await-in-loop -- one after the other, as in a log
  for (const signIn of signIns ?? []) await rehearsal.add(signIn);
}
