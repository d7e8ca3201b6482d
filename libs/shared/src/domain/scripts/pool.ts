import { AppError } from "../../platform/errors/app-error.ts";
import { Replaceable } from "../../platform/lifecycle/replaceable.ts";
import { type Clock, steadyClock } from "../../platform/time/clock.ts";
import type { LuaValue } from "./lua-value.ts";
import type { ScriptCall, ScriptSet, ScriptSurroundings } from "./messages.ts";
import { type PendingCall, WorkerHandle } from "./worker-handle.ts";

/**
 * Compiled scripts of another configuration. One of the two functions must be called, otherwise their threads remain.
 */
export interface PreparedScripts {
  /** Replaces the current scripts. */
  use(): void;
  discard(): Promise<void>;
}

/**
 * The current pool. A reload replaces it; the old pool ends with its last call.
 * @param first absent if no script is configured.
 * @param lingerMs time that calls to a replaced pool may still take, in milliseconds.
 */
export function createScriptRunner(first: ScriptPool | undefined, lingerMs: number, onError: (error: unknown) => void) {
  const pools = new Replaceable(first, lingerMs, async (pool) => pool?.close(), onError);
  return {
    run: (call: ScriptCall): Promise<LuaValue> =>
      pools.current?.run(call) ??
      Promise.reject(new AppError("SCRIPT_FAILED", { detail: `${call.script} is not loaded` })),
    inFlight: (): number => pools.current?.load().inFlight ?? 0,
    swap: (next: ScriptPool | undefined): void => pools.swap(next),
    close: (): Promise<void> => pools.close(),
  };
}

export type ScriptRunner = ReturnType<typeof createScriptRunner>;

export interface ScriptPoolDeps extends ScriptSurroundings {
  readonly set: ScriptSet;
  readonly limits: {
    readonly workers: number;
    /** Maximum number of running and waiting calls; further ones are rejected with `OVERLOADED`. */
    readonly maxInFlight: number;
    /** CPU time limit of one call; waiting for modules does not count. */
    readonly cpuLimitMs: number;
    /** Memory limit of one script in one worker. */
    readonly memoryLimitBytes: number;
  };
  /** Called when a worker was replaced. */
  readonly onReplaced: (reason: "stuck" | "worn" | "ended", error: unknown) => void;
  readonly clock?: Clock | undefined;
}

/** Runs a site's scripts in worker threads, so that they cannot block the caller's event loop. */
export type ScriptPool = Pick<WorkerPool, "run" | "load" | "close">;

const sweepMs = 10;
/** A turn that exceeds its limit by this much is in a function of the Lua library that cannot be interrupted. */
const graceMs = 100;
/** A thread that waits for a core this many times longer does not get one, or waits for something else. */
const waitFactor = 20;
const respawnDelayMs = 1000;
/** A worker that is still starting is chosen only if there is no other. */
const unreadyPenalty = 1_000_000;

/** Resolves when every worker has compiled every script; otherwise throws `CONFIG_INVALID` with the reason. */
export async function createScriptPool(deps: ScriptPoolDeps): Promise<ScriptPool> {
  const pool = new WorkerPool(deps);
  await pool.start();
  return pool;
}

class WorkerPool {
  readonly #deps: ScriptPoolDeps;
  readonly #workers = new Set<WorkerHandle>();
  /** Workers that finish their calls and then end. */
  readonly #retiring = new Set<WorkerHandle>();
  readonly #clock: Clock;
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: ScriptPoolDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? steadyClock;
  }

  async start(): Promise<void> {
    const started = Array.from({ length: Math.max(1, this.#deps.limits.workers) }, () => this.#spawn());
    try {
      await Promise.all(started);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Resolves with the function's first result. Throws `SCRIPT_FAILED` (an error in the script, or a limit; the detail
   * has file and line), `DEADLINE_EXCEEDED`, `OVERLOADED`, `SHUTTING_DOWN`: all of them temporary failures.
   */
  run(call: ScriptCall): Promise<LuaValue> {
    if (this.#closed) return Promise.reject(new AppError("SHUTTING_DOWN"));
    if (this.load().inFlight >= this.#deps.limits.maxInFlight) {
      return Promise.reject(new AppError("OVERLOADED", { detail: `script ${call.script}` }));
    }
    return new Promise((resolve, reject) => this.#dispatch({ call, resolve, reject }));
  }

  load(): { readonly inFlight: number; readonly workers: number } {
    let inFlight = 0;
    for (const worker of this.#workers) inFlight += worker.inFlight;
    return { inFlight, workers: this.#workers.size };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweeper);
    const all = [...this.#workers, ...this.#retiring];
    await Promise.all(all.map((worker) => worker.terminate("the service is shutting down")));
  }

  #dispatch(pending: PendingCall): void {
    const now = steadyClock.now();
    let best: WorkerHandle | undefined;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const worker of this.#workers) {
      const cost = worker.inFlight + worker.busyForMs(now) * 10 + (worker.isReady ? 0 : unreadyPenalty);
      if (cost >= bestCost) continue;
      best = worker;
      bestCost = cost;
    }
    if (best === undefined) {
      pending.reject(
        new AppError(this.#closed ? "SHUTTING_DOWN" : "OVERLOADED", { detail: "no script worker is running" }),
      );
      return;
    }
    best.send(pending);
    this.#sweeper ??= setTimeout(() => this.#sweep(), sweepMs).unref();
  }

  #sweep(): void {
    this.#sweeper = undefined;
    // A wall clock that is set forward would make every busy worker look stuck.
    const now = steadyClock.now();
    const { cpuLimitMs } = this.#deps.limits;
    let inFlight = 0;
    for (const worker of [...this.#workers, ...this.#retiring]) {
      const stuckAfterMs = cpuLimitMs + graceMs;
      const busyMs = worker.busyForMs(now);
      // Where other programs take the cores, a turn lasts longer than the CPU time that it uses.
      const isStuck =
        busyMs > stuckAfterMs && (worker.turnCpuMs() > stuckAfterMs || busyMs > waitFactor * stuckAfterMs);
      worker.expire(this.#clock.now());
      inFlight += worker.inFlight;
      if (isStuck) this.#replace(worker, "stuck");
      else if (this.#retiring.has(worker) && worker.inFlight === 0) void worker.terminate("worn");
    }
    if (inFlight > 0 && !this.#closed) this.#sweeper = setTimeout(() => this.#sweep(), sweepMs).unref();
  }

  #replace(worker: WorkerHandle, reason: "stuck" | "worn"): void {
    const wasServing = this.#workers.delete(worker);
    if (wasServing && !this.#closed) {
      this.#deps.onReplaced(reason, undefined);
      void this.#spawn().catch(() => undefined);
    }
    this.#retiring.add(worker);
    if (reason === "stuck") void worker.terminate("time limit exceeded in a function that cannot be interrupted");
    else if (worker.inFlight === 0) void worker.terminate("worn");
  }

  #gone(worker: WorkerHandle, untouched: readonly PendingCall[], error: unknown): void {
    this.#retiring.delete(worker);
    const wasServing = this.#workers.delete(worker);
    if (wasServing && !this.#closed) {
      this.#deps.onReplaced("ended", error);
      const respawn = (): void => void (this.#closed ? undefined : this.#spawn().catch(() => undefined));
      // A worker that ends during its start would otherwise be restarted in an endless loop.
      if (worker.isReady) respawn();
      else setTimeout(respawn, respawnDelayMs).unref();
    }
    for (const pending of untouched) this.#dispatch(pending);
  }

  #spawn(): Promise<void> {
    const { set, limits, host, onLog, onCount } = this.#deps;
    const { memoryLimitBytes, cpuLimitMs } = limits;
    return new Promise((resolve, reject) => {
      const worker = new WorkerHandle({
        start: { ...set, memoryLimitBytes, cpuLimitMs },
        host,
        onLog,
        onCount,
        onReady: () => resolve(),
        onInvalid: (problems) => reject(new AppError("CONFIG_INVALID", { detail: problems.join("; ") })),
        onWorn: (worn) => this.#replace(worn, "worn"),
        onGone: (gone, untouched, error) => {
          reject(new AppError("SCRIPT_FAILED", { detail: "a script worker ended", cause: error }));
          this.#gone(gone, untouched, error);
        },
      });
      this.#workers.add(worker);
    });
  }
}
