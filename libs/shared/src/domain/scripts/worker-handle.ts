import { Worker } from "node:worker_threads";
import { createRenewedMap } from "../../platform/cache/renewed-map.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { LuaValue } from "./lua-value.ts";
import {
  type FromWorker,
  progressField,
  type ScriptCall,
  type ScriptSurroundings,
  type ToWorker,
  type WorkerStart,
} from "./messages.ts";

/** A call and its waiting caller. */
export interface PendingCall {
  readonly call: ScriptCall;
  readonly resolve: (value: LuaValue) => void;
  readonly reject: (error: AppError) => void;
}

interface WorkerHandleDeps extends ScriptSurroundings {
  readonly start: Omit<WorkerStart, "progress">;
  readonly onReady: () => void;
  readonly onInvalid: (problems: readonly string[]) => void;
  readonly onWorn: (handle: WorkerHandle) => void;
  /** The thread has ended; `untouched` are calls without side effects so far, which another worker may run. */
  readonly onGone: (handle: WorkerHandle, untouched: readonly PendingCall[], error: unknown) => void;
}

interface Running extends PendingCall {
  abort: AbortController | undefined;
}

function workerUrl(): URL {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./worker/script-worker.${ending}`, import.meta.url);
}

/** Reading the CPU time costs as much as many a turn. */
const longTurnMs = 10;

const failureText = { error: "", cpu: "time limit exceeded: ", memory: "memory limit exceeded: " } as const;

/** One worker thread, its calls, and the messages of this tick. */
export class WorkerHandle {
  readonly #deps: WorkerHandleDeps;
  readonly #progress = new Int32Array(new SharedArrayBuffer(8));
  readonly #running = createRenewedMap<number, Running>();
  readonly #worker: Worker;
  #seenTurn = 0;
  #seenSince = 0;
  /** Readings of the thread's CPU time during the current turn. */
  #turnCpu: { readonly firstMs: number; readonly lastMs: number } | undefined;
  #isReadingCpu = false;
  #isReady = false;
  #isGone = false;
  #sequence = 0;
  #reason = "its thread ended";
  #outbox: ToWorker[] = [];

  constructor(deps: WorkerHandleDeps) {
    this.#deps = deps;
    const workerData = { ...deps.start, progress: this.#progress.buffer };
    this.#worker = new Worker(workerUrl(), { workerData, name: "scripts", env: {}, stdin: false });
    this.#worker.unref();
    this.#worker.on("message", (batch: readonly FromWorker[]) => {
      for (const message of batch) this.#take(message);
    });
    this.#worker.on("error", (error) => this.#gone(error));
    this.#worker.on("exit", () => this.#gone(undefined));
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get inFlight(): number {
    return this.#running.size();
  }

  /** How long the current turn of a script has been running, in milliseconds. `now` by a clock that does not step. */
  busyForMs(now: number): number {
    const turn = Atomics.load(this.#progress, progressField.turn);
    if (turn !== this.#seenTurn) {
      this.#seenTurn = turn;
      this.#seenSince = now;
      this.#turnCpu = undefined;
    }
    if (turn === 0) return 0;
    const busyMs = now - this.#seenSince;
    if (busyMs >= longTurnMs) void this.#readCpu(turn);
    return busyMs;
  }

  /**
   * The CPU time that the thread is known to have used in the current turn, but for its first milliseconds. The thread itself reports it, so
   * that one without a core, or in a call of the operating system, reports nothing new.
   */
  turnCpuMs(): number {
    return this.#turnCpu === undefined ? 0 : this.#turnCpu.lastMs - this.#turnCpu.firstMs;
  }

  async #readCpu(turn: number): Promise<void> {
    if (this.#isReadingCpu || this.#isGone) return;
    this.#isReadingCpu = true;
    try {
      const { user, system } = await this.#worker.cpuUsage();
      const lastMs = (user + system) / 1000;
      if (turn === this.#seenTurn) this.#turnCpu = { firstMs: this.#turnCpu?.firstMs ?? lastMs, lastMs };
    } catch {
      // The thread has ended meanwhile.
    } finally {
      this.#isReadingCpu = false;
    }
  }

  send(pending: PendingCall): void {
    this.#sequence += 1;
    const sequence = this.#sequence;
    const { script, entry, args, isOptional = false, session } = pending.call;
    this.#running.set(sequence, { ...pending, abort: undefined });
    this.#post({ type: "call", sequence, script, entry, args, isOptional, session });
  }

  /** Rejects calls that are past their deadline. `now` by `steadyClock`. */
  expire(now: number): void {
    for (const [sequence, { call, abort, reject }] of this.#running.entries()) {
      if (call.deadline > now) continue;
      this.#running.delete(sequence);
      this.#post({ type: "cancel", sequence });
      abort?.abort();
      reject(new AppError("DEADLINE_EXCEEDED", { detail: `script ${call.script}` }));
    }
  }

  async terminate(reason: string): Promise<void> {
    this.#reason = reason;
    await this.#worker.terminate();
  }

  /** Sends everything of one tick in one message. */
  #post(message: ToWorker): void {
    if (this.#outbox.length === 0) setImmediate(() => this.#flush());
    this.#outbox.push(message);
  }

  #flush(): void {
    const batch = this.#outbox;
    this.#outbox = [];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    if (!this.#isGone) this.#worker.postMessage(batch);
  }

  #take(message: FromWorker): void {
    switch (message.type) {
      case "ready":
        this.#isReady = true;
        return this.#deps.onReady();
      case "invalid":
        return this.#deps.onInvalid(message.problems);
      case "worn":
        return this.#deps.onWorn(this);
      case "log":
        return this.#deps.onLog(message);
      case "count":
        return this.#deps.onCount(message.script, message.name, message.by);
      case "host":
        return this.#answerHost(message.sequence, message.name, message.args);
      case "done":
      case "failed":
        return this.#end(message);
    }
  }

  #end(message: Extract<FromWorker, { readonly type: "done" | "failed" }>): void {
    const ended = this.#running.get(message.sequence);
    this.#running.delete(message.sequence);
    if (message.type === "done") {
      ended?.resolve(message.value);
    } else {
      const where = message.kind === "memory" ? `${ended?.call.script ?? ""}: ` : "";
      const detail = `${failureText[message.kind]}${where}${message.message}`;
      ended?.reject(new AppError("SCRIPT_FAILED", { detail }));
    }
  }

  #answerHost(sequence: number, name: string, args: readonly LuaValue[]): void {
    const running = this.#running.get(sequence);
    if (running === undefined) return;
    running.abort ??= new AbortController();
    const { script, deadline } = running.call;
    const answer = (ok: boolean, value: LuaValue): void => {
      if (this.#running.has(sequence)) this.#post({ type: "answer", sequence, ok, value });
    };
    this.#deps.host(name, args, { script, deadline, signal: running.abort.signal }).then(
      (value) => answer(true, value),
      (error: unknown) => answer(false, `${name}: ${error instanceof Error ? error.message : "failed"}`),
    );
  }

  /**
   * The running call fails, and so do calls that have called a module, because a module call must not be repeated. All others can run in
   * another worker: they have not begun, or their answers are in transit.
   */
  #gone(error: unknown): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const culprit = Atomics.load(this.#progress, progressField.call);
    const untouched: PendingCall[] = [];
    for (const [sequence, running] of this.#running.entries()) {
      if (sequence !== culprit && running.abort === undefined) {
        untouched.push(running);
        continue;
      }
      running.abort?.abort();
      const detail = `${running.call.script}: ${this.#reason}`;
      running.reject(new AppError("SCRIPT_FAILED", { detail, cause: error }));
    }
    this.#running.clear();
    this.#deps.onGone(this, untouched, error);
  }
}
