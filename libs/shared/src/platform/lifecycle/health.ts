import { endsWithin, within } from "../concurrency/deadline.ts";

/** A dependency of the service. `check` throws or rejects with the reason why it is unavailable. */
export interface HealthCheck {
  readonly name: string;
  /** Without a required dependency the service is not ready; without another one it is degraded but ready. */
  readonly required: boolean;
  check(signal: AbortSignal): Promise<void> | void;
}

export type Phase = "starting" | "ready" | "draining";

export interface HealthReport {
  readonly status: "up" | "degraded" | "down" | "starting" | "draining";
  readonly checks: Readonly<Record<string, "up" | "down">>;
}

export interface Health {
  phase: Phase;
  /**
   * Runs every check; results of the last half second are reused. It answers immediately, whatever hangs, because load balancers wait no longer:
   * a check without a result by then counts as it did a moment ago, or as failed.
   */
  report(): Promise<HealthReport>;
}

export interface HealthDeps {
  readonly checks: readonly HealthCheck[];
  /** Once for each outage and reason. */
  readonly onFailure: (name: string, reason: unknown) => void;
}

const checkTimeoutMs = 1000;
const freshForMs = 500;
/** Half of what load balancers commonly wait at least. */
const answerWithinMs = 200;
/** An earlier result says nothing about a check that has not run for long. */
const knownForMs = 5000;

/** Resolves to the reason why the check fails. */
async function failureOf(check: HealthCheck): Promise<{ readonly reason: unknown } | undefined> {
  const over = new AbortController();
  // Async, so that a check that throws synchronously rejects as well.
  const runCheck = async (): Promise<void> => check.check(over.signal);
  try {
    await within(runCheck(), checkTimeoutMs);
    return undefined;
  } catch (reason) {
    return { reason };
  } finally {
    over.abort();
  }
}

interface Result {
  readonly name: string;
  readonly required: boolean;
  readonly up: boolean;
}

/** One check with its last result. */
function remembered(check: HealthCheck, onFailure: HealthDeps["onFailure"]): () => Promise<Result> {
  const { name, required } = check;
  let [startedAt, endedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  let isRunning = false;
  let up = false;
  let reported = "";
  const judge = (failure: { readonly reason: unknown } | undefined): boolean => {
    const text = failure === undefined ? "" : String(failure.reason);
    if (failure !== undefined && text !== reported) onFailure(name, failure.reason);
    reported = text;
    return failure === undefined;
  };
  let run: Promise<void> = Promise.resolve();
  const start = async (): Promise<void> => {
    startedAt = performance.now();
    isRunning = true;
    up = judge(await failureOf(check));
    endedAt = performance.now();
    isRunning = false;
  };
  return async () => {
    if (!isRunning && performance.now() - startedAt > freshForMs) run = start();
    const isKnown = performance.now() - endedAt <= knownForMs;
    const hasEnded = await endsWithin(run, answerWithinMs);
    return { name, required, up: up && (hasEnded || isKnown) };
  };
}

function statusOf(phase: Phase, rows: readonly Result[]): HealthReport["status"] {
  if (phase !== "ready") return phase;
  if (rows.some(({ up, required }) => required && !up)) return "down";
  return rows.every(({ up }) => up) ? "up" : "degraded";
}

export function createHealth({ checks, onFailure }: HealthDeps): Health {
  const all = checks.map((check) => remembered(check, onFailure));
  return {
    phase: "starting",
    async report() {
      const rows = await Promise.all(all.map((result) => result()));
      return {
        status: statusOf(this.phase, rows),
        checks: Object.fromEntries(rows.map(({ name, up }) => [name, up ? "up" : "down"])),
      };
    },
  };
}
