import { knownNetworkOf } from "../brute-force/index.ts";
import { type DecisionNote, type DecisionRun, type FailureKind, failureKinds } from "./decision-record.ts";

/** What is written together. */
export interface DecisionBatch {
  readonly runs: readonly DecisionRun[];
  /** Decisions other than successes, repetitions too: a user may report the reference of any of them. */
  readonly referred: readonly DecisionNote[];
  /** Counts of decisions by minute and outcome: `<minute>:<outcome>`. */
  readonly traffic: readonly (readonly [field: string, count: number])[];
  readonly failingNetworks: readonly (readonly [network: string, failures: number, kind: FailureKind])[];
}

const repeatMs = 60_000;
/** Bound of the decisions whose repetitions are counted. */
const maxOpen = 16_384;
/** Closed together when there are too many: a map finds its first entry the more slowly, the more were deleted before it. */
const closedTogether = 1024;
/** Bound of the decisions that wait; a few seconds of the fastest engine. */
const maxWaiting = 8192;
const maxFailing = 4096;
const maxReferred = 4096;

interface OpenRun {
  readonly note: DecisionNote;
  readonly openedMs: number;
  firstMs: number;
  lastMs: number;
  lastSession: string;
  /** Repetitions that are not written yet. */
  count: number;
}

function keyOf({ account, username, clientIp, protocol, outcome, reason, rule, channel, step, client }: DecisionNote) {
  return `${account ?? `\n${username}`}\0${clientIp}\0${protocol}\0${outcome}${channel}${step}\0${reason}\0${rule}\0${client}`;
}

const runOf = ({ note, firstMs, lastMs, lastSession, count }: OpenRun): DecisionRun => {
  const { outcome, channel, account, username, clientIp, protocol, reason, rule, step, client } = note;
  const what = { outcome, channel, account, username, clientIp, protocol, reason, rule, step, client };
  return { ...what, session: lastSession, timeMs: lastMs, firstMs, count };
};

type Failing = Readonly<Record<FailureKind, Map<string, number>>>;

const newFailing = (): Failing => ({ counted: new Map(), repeated: new Map(), refused: new Map() });

function kindOf({ outcome, isRepeated }: DecisionNote): FailureKind {
  if (outcome === "blocked") return "refused";
  return isRepeated === true ? "repeated" : "counted";
}

function byNetwork(addresses: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const networks = new Map<string, number>();
  for (const [address, count] of addresses) {
    const network = knownNetworkOf(address);
    if (network !== undefined) networks.set(network, (networks.get(network) ?? 0) + count);
  }
  return networks;
}

function createTraffic() {
  let counts = new Map<string, number>();
  let failing = newFailing();
  let minute = 0;
  let fields: Readonly<Record<string, string>> = {};
  return {
    note: (note: DecisionNote): void => {
      const { timeMs, outcome, clientIp } = note;
      const now = Math.floor(timeMs / 60_000);
      if (now !== minute) {
        minute = now;
        fields = { ok: `${now}:ok`, denied: `${now}:denied`, blocked: `${now}:blocked`, undecided: `${now}:undecided` };
      }
      const field = fields[outcome] ?? "";
      counts.set(field, (counts.get(field) ?? 0) + 1);
      const addresses = failing[kindOf(note)];
      if ((outcome === "denied" || outcome === "blocked") && (addresses.has(clientIp) || addresses.size < maxFailing)) {
        addresses.set(clientIp, (addresses.get(clientIp) ?? 0) + 1);
      }
    },
    take: (): Pick<DecisionBatch, "traffic" | "failingNetworks"> => {
      const failingNetworks = failureKinds.flatMap((kind) =>
        [...byNetwork(failing[kind])].map(([network, count]) => [network, count, kind] as const),
      );
      const taken = { traffic: [...counts], failingNetworks };
      counts = new Map();
      failing = newFailing();
      return taken;
    },
  };
}

/** Gathers decisions for the history. Nothing waits for it. */
export function createDecisionRecorder() {
  const open = new Map<string, OpenRun>();
  const traffic = createTraffic();
  let waiting: DecisionRun[] = [];
  let referred: DecisionNote[] = [];
  let dropped = 0;
  const push = (run: DecisionRun): boolean => {
    if (waiting.length < maxWaiting) return waiting.push(run) > 0;
    dropped += run.count;
    return false;
  };
  const close = (key: string, run: OpenRun): void => {
    open.delete(key);
    if (run.count > 0) push(runOf(run));
  };
  const begin = (key: string, note: DecisionNote): void => {
    const { timeMs } = note;
    if (!push({ ...note, firstMs: timeMs, count: 1 })) return;
    open.set(key, { note, openedMs: timeMs, firstMs: timeMs, lastMs: timeMs, lastSession: note.session, count: 0 });
    if (open.size <= maxOpen) return;
    for (const [oldest, run] of open.entries().take(closedTogether).toArray()) close(oldest, run);
  };
  return {
    note: (note: DecisionNote): void => {
      traffic.note(note);
      if (note.outcome !== "ok" && referred.length < maxReferred) referred.push(note);
      const key = keyOf(note);
      const run = open.get(key);
      if (run === undefined || note.timeMs - run.openedMs >= repeatMs) {
        if (run !== undefined) close(key, run);
        begin(key, note);
        return;
      }
      if (run.count === 0) run.firstMs = note.timeMs;
      run.count += 1;
      run.lastMs = note.timeMs;
      run.lastSession = note.session;
    },
    /** What was gathered and is due: new decisions immediately, the number of their repetitions after a minute. */
    take: (nowMs: number, isLast = false): DecisionBatch | undefined => {
      for (const [key, run] of open) {
        // In the order of opening.
        if (!isLast && nowMs - run.openedMs < repeatMs) break;
        close(key, run);
      }
      const batch = { runs: waiting, referred, ...traffic.take() };
      if (batch.runs.length === 0 && batch.traffic.length === 0) return undefined;
      waiting = [];
      referred = [];
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
