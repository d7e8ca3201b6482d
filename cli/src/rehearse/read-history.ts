import { DecisionExportPage, type DecisionRecord } from "@postern/shared/contracts";
import { compileCheck } from "@postern/shared/platform/http";
import type { Surroundings } from "../command.ts";
import { type Api, ApiError } from "../operator/api.ts";
import { createProgress } from "../progress.ts";
import { NumberSet, numberOf } from "../../../services/auth-engine/src/rehearsal/number-set.ts";
import type { Rehearsal } from "../../../services/auth-engine/src/rehearsal/rehearsal.ts";
import type { SignIn } from "../../../services/auth-engine/src/rehearsal/sign-in.ts";

/** More than any site records. */
const mostHistories = 5_000_000;
const outcomes = { ok: "ok", denied: "fail", blocked: "blocked", undecided: "tempfail" } as const;
const dialects = { mail: "json", browser: "idp", jwt: "jwt" } as const;

const isKnownOutcome = (text: string): text is keyof typeof outcomes => Object.hasOwn(outcomes, text);
const isReplayed = (text: string): text is keyof typeof dialects => Object.hasOwn(dialects, text);

/** Why a record is not replayed; undefined if it is. */
function leftOutBecause({ channel, step = "password" }: DecisionRecord): string | undefined {
  if (step !== "password") return "steps after the password on the sign-in pages, which are not replayed";
  return channel === "mail_server" ? "verified by a mail server itself, which is not replayed" : undefined;
}

interface Part {
  readonly timeMs: number;
  readonly count: number;
}

/** Days with the number of ordinary successes on each; the time of the record for what was recorded individually. */
function partsOf({ time, count, days }: DecisionRecord): readonly Part[] {
  const latestMs = Date.parse(time);
  if (days === undefined) return [{ timeMs: latestMs, count }];
  return days.map(({ date, count: ofDay }) => ({
    timeMs: time.startsWith(date) ? latestMs : Date.parse(`${date}T00:00:00Z`),
    count: ofDay,
  }));
}

/** The sign-ins of a record since a time; a day with ordinary successes counts as a whole. Undefined for a record that cannot be read. */
export function signInsOf(record: DecisionRecord, sinceMs: number): readonly SignIn[] | undefined {
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

async function readRecord(rehearsal: Rehearsal, record: DecisionRecord, sinceMs: number): Promise<void> {
  const why = leftOutBecause(record);
  if (why !== undefined) {
    rehearsal.leftOut.set(why, (rehearsal.leftOut.get(why) ?? 0) + record.count);
    return;
  }
  const signIns = signInsOf(record, sinceMs);
  if (signIns === undefined) rehearsal.unreadable += 1;
  // oxlint-disable-next-line no-await-in-loop -- one after the other, as in a log
  for (const signIn of signIns ?? []) await rehearsal.add(signIn);
}

interface Reading {
  readonly api: Pick<Api, "ask">;
  readonly sinceMs: number;
  readonly terminal: Pick<Surroundings["terminal"], "output">;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

const page = compileCheck(DecisionExportPage);

function pageIn(answer: unknown): DecisionExportPage {
  if (page.accepts(answer)) return answer;
  throw new ApiError(0, "this version does not understand the history; use the postern command of the same version");
}

async function readPages(rehearsal: Rehearsal, { api, sinceMs, signal }: Reading, onPage: (done: number) => void) {
  const seen = new NumberSet(mostHistories);
  let cursor: string | undefined;
  do {
    const query = {
      ...(sinceMs > 0 && { since: new Date(sinceMs).toISOString() }),
      ...(cursor !== undefined && { cursor }),
    };
    // oxlint-disable-next-line no-await-in-loop -- each page has the cursor of the next one
    const { histories, done, next } = pageIn(await api.ask("exportDecisions", { query, signal }));
    for (const { id, records } of histories) {
      if (!seen.add(numberOf(id))) continue;
      // oxlint-disable-next-line no-await-in-loop
      for (const record of records) await readRecord(rehearsal, record, sinceMs);
    }
    onPage(done);
    cursor = next;
  } while (cursor !== undefined && !signal.aborted);
}

/**
 * Reads the decision history into the rehearsal; false if the user ended it.
 *
 * @throws ApiError
 */
export async function readHistory(rehearsal: Rehearsal, reading: Reading): Promise<boolean> {
  const { terminal, signal } = reading;
  const progress = createProgress(terminal.output);
  try {
    await readPages(rehearsal, reading, (done) => progress.show(`${rehearsal.comparison.signIns} sign-ins`, done));
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    progress.end();
  }
  return !signal.aborted;
}
