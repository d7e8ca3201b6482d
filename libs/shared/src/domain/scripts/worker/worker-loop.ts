import type { MessagePort } from "node:worker_threads";
import { createRenewedMap } from "../../../platform/cache/renewed-map.ts";
import { type FromWorker, progressField, type ToWorker, type WorkerStart } from "../messages.ts";
import { Interpreter, type Turn } from "./interpreter.ts";
import { loadLua } from "./lua-api.ts";
import { Marshal } from "./marshal.ts";
import { createNatives, nativeModules } from "./natives.ts";

/**
 * Modules whose functions are asynchronous: the script is suspended while others run. A host handler is registered by module and function
 * name.
 */
const hostModules = Object.freeze({
  cache: ["get", "set", "delete", "increment"],
  http: ["request"],
  dns: ["lookup", "reverse"],
  sql: ["query", "execute", "transaction"],
  ldap: ["search"],
  mail: ["send"],
  password: ["verify", "hash"],
} as const);

/** Maximum time that an answer waits for others of its batch, in milliseconds. */
const flushAfterMs = 1;
/** A script that ran out of memory this often may hold it permanently. */
const wornAfter = 3;

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

type Call = Extract<ToWorker, { readonly type: "call" }>;

/** Starts calls, resumes those that the host answered, and reports their results, all in batches. */
export class WorkerLoop {
  readonly #start: WorkerStart;
  readonly #port: MessagePort;
  readonly #progress: Int32Array;
  readonly #interpreters = new Map<string, Interpreter>();
  readonly #calls = createRenewedMap<number, Call>();
  #current: Pick<Call, "script" | "session"> = { script: "", session: undefined };
  #outgoing: FromWorker[] = [];
  #memoryFailures = 0;
  #turns = 0;

  constructor(start: WorkerStart, port: MessagePort) {
    this.#start = start;
    this.#port = port;
    this.#progress = new Int32Array(start.progress);
  }

  async load(): Promise<void> {
    const { texts, libraries, memoryLimitBytes, cpuLimitMs, scripts } = this.#start;
    const lua = await loadLua();
    const marshal = new Marshal(lua);
    const callNative = createNatives(
      texts,
      (message) => void this.#outgoing.push({ ...message, script: this.#current.script }),
      () => this.#current.session,
    );
    const modules = { callNative, libraries, hostModules, nativeModules };
    const deps = { lua, marshal, ...modules, memoryLimitBytes, cpuLimitMs, cpuMs: threadCpuMs };
    const problems: string[] = [];
    for (const script of scripts) {
      this.#current = { script: script.name, session: undefined };
      try {
        this.#interpreters.set(script.name, new Interpreter(script, deps));
      } catch (error) {
        problems.push(error instanceof Error ? error.message : "unknown error");
      }
    }
    this.#port.on("message", (batch: readonly ToWorker[]) => this.#handleBatch(batch));
    this.#outgoing.push(problems.length === 0 ? { type: "ready" } : { type: "invalid", problems });
    this.#flush();
  }

  #handleBatch(batch: readonly ToWorker[]): void {
    let flushed = performance.now();
    for (const message of batch) {
      this.#handle(message);
      if (performance.now() - flushed <= flushAfterMs) continue;
      this.#flush();
      flushed = performance.now();
    }
    this.#flush();
  }

  #handle(message: ToWorker): void {
    const { sequence } = message;
    if (message.type === "call") {
      this.#calls.set(sequence, message);
      const { entry, args, isOptional } = message;
      this.#inTurn(message, (interpreter) =>
        isOptional && !interpreter.has(entry)
          ? { kind: "done", value: undefined }
          : interpreter.begin(sequence, entry, args),
      );
      return;
    }
    const call = this.#calls.get(sequence);
    if (call === undefined) return;
    if (message.type === "answer") {
      this.#inTurn(call, (interpreter) => interpreter.resume(sequence, message.ok, message.value));
    } else {
      this.#calls.delete(sequence);
      this.#interpreters.get(call.script)?.cancel(sequence);
    }
  }

  #inTurn(call: Call, run: (interpreter: Interpreter) => Turn): void {
    const interpreter = this.#interpreters.get(call.script);
    this.#current = call;
    this.#turns = (this.#turns % 0x7fff_ffff) + 1;
    Atomics.store(this.#progress, progressField.call, call.sequence);
    Atomics.store(this.#progress, progressField.turn, this.#turns);
    const turn: Turn =
      interpreter === undefined
        ? { kind: "failed", failure: "error", message: `no script ${call.script}` }
        : run(interpreter);
    Atomics.store(this.#progress, progressField.turn, 0);
    Atomics.store(this.#progress, progressField.call, 0);
    this.#tell(call.sequence, turn);
  }

  #tell(sequence: number, turn: Turn): void {
    if (turn.kind === "host") {
      this.#outgoing.push({ type: "host", sequence, name: turn.name, args: turn.args });
      return;
    }
    this.#calls.delete(sequence);
    if (turn.kind === "done") {
      this.#outgoing.push({ type: "done", sequence, value: turn.value });
      return;
    }
    this.#outgoing.push({ type: "failed", sequence, kind: turn.failure, message: turn.message });
    if (turn.failure !== "memory") return;
    this.#memoryFailures += 1;
    if (this.#memoryFailures === wornAfter) this.#outgoing.push({ type: "worn" });
  }

  #flush(): void {
    if (this.#outgoing.length === 0) return;
    const messages = this.#outgoing;
    this.#outgoing = [];
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    this.#port.postMessage(messages);
  }
}
