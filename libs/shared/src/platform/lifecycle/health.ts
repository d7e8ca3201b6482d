import { within } from "../concurrency/deadline.ts";

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
  /** Runs every check, for at most one second each; results of the last half second are reused. */
  report(): Promise<HealthReport>;
}

export interface HealthDeps {
  readonly checks: readonly HealthCheck[];
  readonly onFailure: (name: string, reason: unknown) => void;
}

const checkTimeoutMs = 1000;
const freshForMs = 500;

async function passes(check: HealthCheck, onFailure: HealthDeps["onFailure"]): Promise<boolean> {
  const over = new AbortController();
  // Async, so that a check that throws synchronously rejects as well.
  const runCheck = async (): Promise<void> => check.check(over.signal);
  try {
    await within(runCheck(), checkTimeoutMs);
    return true;
  } catch (reason) {
    onFailure(check.name, reason);
    return false;
  } finally {
    over.abort();
  }
}

function statusOf(phase: Phase, rows: readonly { up: boolean; required: boolean }[]): HealthReport["status"] {
  if (phase !== "ready") return phase;
  if (rows.some(({ up, required }) => required && !up)) return "down";
  return rows.every(({ up }) => up) ? "up" : "degraded";
}

export function createHealth({ checks, onFailure }: HealthDeps): Health {
  let last: { at: number; rows: Promise<readonly { name: string; up: boolean; required: boolean }[]> } | undefined;
  const run = (): Promise<readonly { name: string; up: boolean; required: boolean }[]> =>
    Promise.all(
      checks.map(async (check) => ({ name: check.name, required: check.required, up: await passes(check, onFailure) })),
    );
  return {
    phase: "starting",
    async report() {
      if (last === undefined || performance.now() - last.at > freshForMs) last = { at: performance.now(), rows: run() };
      const rows = await last.rows;
      return {
        status: statusOf(this.phase, rows),
        checks: Object.fromEntries(rows.map(({ name, up }) => [name, up ? "up" : "down"])),
      };
    },
  };
}
