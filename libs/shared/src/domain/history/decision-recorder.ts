import { createHotCache, remembering } from "../../platform/cache/hot-cache.ts";
import { endsWithin } from "../../platform/concurrency/index.ts";
import { knownNetworkOf } from "../brute-force/index.ts";
import type { DecisionBatch, DecisionNote, DecisionRun } from "./decision-record.ts";
import type { WriteHistory } from "./write-decisions.ts";
import { createTraffic } from "./write-references.ts";

/** Ordinary successes are written together after this time, repeated failures sooner, because help desks ask for them. */
const successesMs = 600_000;
const failuresMs = 120_000;
/** Bounds of what is counted in a period: kinds of decision, and characters of their keys. Two periods are remembered. */
const maxSuccesses = 32_768;
const maxFailures = 8192;
const maxCharacters = 4_194_304;
/** The counts of a period are spread over so many batches. */
const batchesOfPeriod = 30;
/** Bound of the decisions that wait; a few seconds of the fastest engine. */
const maxWaiting = 8192;
const maxReferred = 4096;
const maxFailed = 16_384;
const maxAddresses = 16_384;
/** A run of equal failures that this process began within this time is continued. */
const runMs = 3_600_000;

/** Equal decisions of a period; those before the period, or written already, are not in its count. */
interface Counted {
  readonly note: DecisionNote;
  clientIp: string;
  session: string;
  firstMs: number;
  lastMs: number;
  count: number;
}

const runOf = ({ note, clientIp, session, firstMs, lastMs, count }: Counted): DecisionRun => ({
  ...note,
  clientIp,
  session,
  firstMs,
  timeMs: lastMs,
  count,
  isRepetition: true,
});

/** Counts equal decisions, and hands out the first one immediately and the number of the others after a period. */
class PeriodCounts {
  readonly #periodMs: number;
  readonly #maxCounted: number;
  readonly #push: (run: DecisionRun) => boolean;
  /** The first period begins with the first batch. */
  #begunMs: number | undefined;
  #characters = 0;
  #current = new Map<string, Counted>();
  #before: ReadonlyMap<string, Counted> = new Map();
  #unwritten: Iterator<Counted> = [].values();
  #atOnce = 0;

  constructor(periodMs: number, maxCounted: number, push: (run: DecisionRun) => boolean) {
    this.#periodMs = periodMs;
    this.#maxCounted = maxCounted;
    this.#push = push;
  }

  /** Whether it was counted; if not, it is the first of its kind, and the caller records it. */
  count(key: string, note: DecisionNote): boolean {
    const { timeMs, session, clientIp } = note;
    const known = this.#current.get(key);
    if (known === undefined) return this.#before.has(key) && this.#open(key, note, 1);
    if (known.count === 0) known.firstMs = timeMs;
    known.count += 1;
    known.lastMs = timeMs;
    known.session = session;
    known.clientIp = clientIp;
    return true;
  }

  /** Decisions that equal this one, which was recorded, are counted from now on. */
  begin(key: string, note: DecisionNote): void {
    this.#open(key, note, 0);
  }

  #open(key: string, note: DecisionNote, count: number): boolean {
    if (this.#current.size >= this.#maxCounted || this.#characters > maxCharacters) return false;
    const { timeMs, session, clientIp } = note;
    this.#characters += key.length;
    this.#current.set(key, { note, clientIp, session, firstMs: timeMs, lastMs: timeMs, count });
    return true;
  }

  /** Pushes what is due. */
  take(nowMs: number, isLast: boolean): void {
    this.#begunMs ??= nowMs;
    if (isLast || nowMs - this.#begunMs >= this.#periodMs) this.#beginPeriod(nowMs);
    this.#write(isLast ? Number.POSITIVE_INFINITY : this.#atOnce);
    if (!isLast) return;
    this.#beginPeriod(nowMs);
    this.#write(Number.POSITIVE_INFINITY);
  }

  #beginPeriod(nowMs: number): void {
    this.#write(Number.POSITIVE_INFINITY);
    this.#begunMs = nowMs;
    this.#before = this.#current;
    this.#unwritten = this.#before.values();
    this.#atOnce = Math.ceil(this.#before.size / batchesOfPeriod);
    this.#current = new Map();
    this.#characters = 0;
  }

  #write(atMost: number): void {
    for (let taken = 0; taken < atMost; taken += 1) {
      const next = this.#unwritten.next();
      if (next.done === true) return;
      if (next.value.count > 0) this.#push(runOf(next.value));
    }
  }
}

const single = (note: DecisionNote, isRepetition: boolean): DecisionRun => ({
  ...note,
  firstMs: note.timeMs,
  count: 1,
  ...(isRepetition && { isRepetition }),
});

/** The account, or the typed name of what may not be one. */
const whoOf = ({ account, username }: DecisionNote): string => account ?? `\n${username}`;

function failureKey(note: DecisionNote): string {
  const { clientIp, protocol, outcome, reason, rule, channel, step, client } = note;
  return `${whoOf(note)}\0${clientIp}\0${protocol}\0${outcome}${channel}${step}\0${reason}\0${rule}\0${client}`;
}

/** Accounts whose last decision was not a success, as far as this process decided it. */
function createFailedAccounts() {
  const failed = createHotCache<true>(maxFailed);
  return {
    note: ({ account }: DecisionNote): void => {
      if (account !== undefined) failed.set(account, true);
    },
    /** Whether this success follows a failure; its account is no longer one of those. */
    take: ({ account, isAfterFailure }: DecisionNote): boolean => {
      if (account === undefined || failed.size === 0 || failed.get(account) === undefined)
        return isAfterFailure === true;
      failed.delete(account);
      return true;
    },
  };
}

/**
 * Gathers decisions for the history. Nothing waits for it. Failures, and successes after a failure, are recorded individually, equal
 * failures as one run; ordinary successes are counted by account, network and program.
 */
export function createDecisionRecorder() {
  const traffic = createTraffic();
  const networkOf = remembering(maxAddresses, (address) => knownNetworkOf(address) ?? "");
  const failed = createFailedAccounts();
  /** Runs of failures that this process began, by their key, with the time of the last failure. */
  const begun = createHotCache<number>(maxFailed);
  /** What waits for the next batch, up to a bound. */
  let runs: DecisionRun[] = [];
  let referred: DecisionNote[] = [];
  let dropped = 0;
  const push = (run: DecisionRun): boolean => {
    if (runs.length < maxWaiting) return runs.push(run) > 0;
    dropped += run.count;
    return false;
  };
  const successes = new PeriodCounts(successesMs, maxSuccesses, push);
  const failures = new PeriodCounts(failuresMs, maxFailures, push);
  const noteFailure = (note: DecisionNote): void => {
    failed.note(note);
    if (referred.length < maxReferred) referred.push(note);
    const key = failureKey(note);
    const sinceMs = note.timeMs - (begun.get(key) ?? Number.NEGATIVE_INFINITY);
    begun.set(key, note.timeMs);
    if (failures.count(key, note)) return;
    if (push(single(note, sinceMs <= runMs))) failures.begin(key, note);
  };
  const noteSuccess = (note: DecisionNote): void => {
    if (failed.take(note)) {
      push({ ...single(note, false), isAfterFailure: true });
      return;
    }
    const { protocol, channel, step, client } = note;
    const key = `${whoOf(note)}\0${networkOf(note.clientIp)}\0${protocol}\0${channel}${step}\0${client}`;
    if (successes.count(key, note)) return;
    if (push(single(note, true))) successes.begin(key, note);
  };
  return {
    note: (note: DecisionNote): void => {
      traffic.note(note);
      if (note.outcome === "ok") noteSuccess(note);
      else noteFailure(note);
    },
    /** What was gathered and is due: new decisions immediately, the number of their repetitions after a period. */
    take: (nowMs: number, isLast = false): DecisionBatch | undefined => {
      successes.take(nowMs, isLast);
      failures.take(nowMs, isLast);
      const counts = traffic.take(nowMs, isLast);
      if (runs.length === 0 && referred.length === 0 && counts.traffic.length === 0) return undefined;
      const batch = { runs, referred, ...counts };
      [runs, referred] = [[], []];
      return batch;
    },
    /** Number of decisions that were not gathered because too many waited, since the last call. */
    takeDropped: (): number => {
      const taken = dropped;
      dropped = 0;
      return taken;
    },
  };
}

const flushMs = 1000;
/** The last batch may need a connection. */
const closeMs = 3000;

/**
 * Records decisions after they were answered, and writes them once a second.
 *
 * @param onLost counts decisions of which no record was written.
 */
export function createHistoryRecorder(write: WriteHistory, nowMs: () => number, onLost: (count: number) => void) {
  const recorder = createDecisionRecorder();
  let busy: Promise<void> | undefined;
  const send = async (batch: DecisionBatch): Promise<void> => {
    const lost = await write(batch, nowMs()).catch(() => batch.runs.length);
    if (lost > 0) onLost(lost);
    busy = undefined;
  };
  /** One batch at a time: while Redis is slow, the recorder gathers up to its bound. */
  const flush = (isLast = false): Promise<void> | undefined => {
    const dropped = recorder.takeDropped();
    if (dropped > 0) onLost(dropped);
    if (busy !== undefined) return busy;
    const batch = recorder.take(nowMs(), isLast);
    if (batch !== undefined) busy = send(batch);
    return busy;
  };
  const timer = setInterval(() => void flush(), flushMs).unref();
  return {
    note: recorder.note,
    /** Writes what was gathered, for at most three seconds. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      const last = Promise.resolve(busy).then(() => flush(true));
      await endsWithin(last, closeMs);
    },
  };
}

export type HistoryRecorder = ReturnType<typeof createHistoryRecorder>;
