import { createRenewedMap } from "../../../platform/cache/renewed-map.ts";
import type { LuaValue } from "../lua-value.ts";
import type { FailureKind, ScriptSource } from "../messages.ts";
import { type LuaApi, luaMaskCount, luaRegistryIndex, luaStatus } from "./lua-api.ts";
import { LuaState } from "./lua-state.ts";
import type { Marshal } from "./marshal.ts";
import { prelude } from "./prelude.ts";

/** How a turn of a script ended. */
export type Turn =
  | { readonly kind: "done"; readonly value: LuaValue }
  | { readonly kind: "host"; readonly name: string; readonly args: readonly LuaValue[] }
  | { readonly kind: "failed"; readonly failure: FailureKind; readonly message: string };

/** Calls a synchronous module function, one that runs in the worker itself. Throws an `Error` for the script. */
export type CallNative = (name: string, args: readonly LuaValue[]) => LuaValue;

type ModuleNames = Readonly<Record<string, readonly string[]>>;

interface InterpreterDeps {
  readonly lua: LuaApi;
  readonly marshal: Marshal;
  readonly callNative: CallNative;
  readonly libraries: Readonly<Record<string, string>>;
  /** Module → functions, of the host and of `callNative`. */
  readonly hostModules: ModuleNames;
  readonly nativeModules: ModuleNames;
  readonly memoryLimitBytes: number;
  readonly cpuLimitMs: number;
  /** CPU time of this thread so far, in milliseconds. */
  readonly cpuMs: () => number;
}

interface Running {
  readonly thread: number;
  readonly reference: number;
  cpuLeftMs: number;
}

/** How far a value that the host pushes may exceed the limit: outside a script's turn Lua cannot refuse memory. */
const marshalSlackBytes = 32 * 1024 * 1024;
const hookInstructions = 1000;
const outOfTime = "time limit of the script exceeded";

/** One Lua state with one script: its globals, memory and running calls. */
export class Interpreter {
  readonly #script: ScriptSource;
  readonly #deps: InterpreterDeps;
  readonly #state: LuaState;
  readonly #running = createRenewedMap<number, Running>();
  readonly #resultCount: number;
  /** Time of `performance.now()`; before it the turn cannot have used up its CPU time. */
  #turnEnd = 0;
  /** CPU time of this thread at which the turn's share is used up, in milliseconds. */
  #cpuEnd = 0;
  #isOutOfTime = false;

  /** Throws an `Error` with the script's file and line if it does not compile or its first run fails. */
  constructor(script: ScriptSource, deps: InterpreterDeps) {
    const { lua, marshal } = deps;
    this.#script = script;
    this.#deps = deps;
    this.#state = new LuaState(lua, marshal);
    this.#resultCount = lua.malloc(4);
    const hook = lua.addFunction((thread = 0) => this.#checkTime(thread), "vii");
    // Lua threads inherit the hook.
    lua.lua_sethook(this.#state.pointer, hook, luaMaskCount, hookInstructions);
    this.#load();
  }

  #load(): void {
    const { source, name, entryPoints } = this.#script;
    // The prelude returns a function that seals the globals. It cannot be passed to JavaScript, so it waits in a global until the script
    // has run.
    this.#runOnce(`_SEAL = (function(...) ${prelude} end)(...)`, "=prelude", (thread) => this.#pushModules(thread));
    this.#runOnce(source, `@${name}`, () => 0);
    this.#runOnce("local seal = _SEAL _SEAL = nil seal()", "=prelude", () => 0);
    for (const entry of entryPoints) {
      if (!this.#state.hasGlobal(entry)) throw new Error(`${name}: no function ${entry}`);
    }
  }

  has(entry: string): boolean {
    return this.#state.hasGlobal(entry);
  }

  begin(sequence: number, entry: string, args: readonly LuaValue[]): Turn {
    return this.#start(sequence, (thread) => {
      this.#state.pushGlobal(thread, entry);
      for (const arg of args) this.#deps.marshal.push(thread, arg);
      return args.length;
    });
  }

  /** Resumes a call that waited for the host. */
  resume(sequence: number, ok: boolean, value: LuaValue): Turn {
    const call = this.#running.get(sequence);
    if (call === undefined) return { kind: "failed", failure: "error", message: `${this.#script.name}: no such call` };
    this.#deps.lua.lua_pushboolean(call.thread, ok ? 1 : 0);
    this.#deps.marshal.push(call.thread, value);
    return this.#turn(sequence, call, 2);
  }

  cancel(sequence: number): void {
    const call = this.#running.get(sequence);
    if (call !== undefined) this.#forget(sequence, call);
  }

  #start(sequence: number, prepare: (thread: number) => number): Turn {
    const { lua, cpuLimitMs } = this.#deps;
    const thread = lua.lua_newthread(this.#state.pointer);
    const reference = lua.luaL_ref(this.#state.pointer, luaRegistryIndex);
    const call = { thread, reference, cpuLeftMs: cpuLimitMs };
    this.#running.set(sequence, call);
    return this.#turn(sequence, call, prepare(thread));
  }

  #turn(sequence: number, call: Running, argumentCount: number): Turn {
    const { account } = this.#state;
    const startedCpu = this.#deps.cpuMs();
    this.#turnEnd = performance.now() + call.cpuLeftMs;
    this.#cpuEnd = startedCpu + call.cpuLeftMs;
    this.#isOutOfTime = false;
    account.limit = this.#deps.memoryLimitBytes;
    const status = this.#deps.lua.lua_resume(call.thread, 0, argumentCount, this.#resultCount);
    account.limit = Number.MAX_SAFE_INTEGER;
    const turn = this.#outcome(call.thread, status);
    if (turn.kind === "host") call.cpuLeftMs -= this.#deps.cpuMs() - startedCpu;
    else this.#forget(sequence, call);
    return turn;
  }

  #outcome(thread: number, status: number): Turn {
    const { lua, marshal } = this.#deps;
    const values = lua.bytes().readInt32LE(this.#resultCount);
    try {
      if (status === luaStatus.yield) {
        const [name, ...args] = this.#state.read(thread, values);
        lua.lua_settop(thread, -values - 1);
        return { kind: "host", name: typeof name === "string" ? name : "", args };
      }
      if (status === luaStatus.ok) {
        return { kind: "done", value: values === 0 ? undefined : marshal.read(thread, -values) };
      }
      const failure = this.#isOutOfTime ? "cpu" : status === luaStatus.memory ? "memory" : "error";
      return { kind: "failed", failure, message: this.#state.messageAt(thread) };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return { kind: "failed", failure: "error", message: `${this.#script.name}: ${error.message}` };
    }
  }

  #forget(sequence: number, { reference }: Running): void {
    this.#running.delete(sequence);
    this.#deps.lua.luaL_unref(this.#state.pointer, luaRegistryIndex, reference);
  }

  #runOnce(text: string, chunk: string, push: (thread: number) => number): void {
    const turn = this.#start(0, (thread) => {
      const problem = this.#state.compile(thread, text, chunk);
      if (problem !== undefined) throw new Error(problem);
      return push(thread);
    });
    if (turn.kind === "failed") throw new Error(turn.message);
    if (turn.kind === "host") throw new Error(`${chunk}: ${turn.name} cannot be called while the script loads`);
  }

  /** The prelude's arguments: yield, the function that calls native modules, and the modules' names. */
  #pushModules(thread: number): number {
    const { lua, marshal, hostModules, nativeModules } = this.#deps;
    lua.luaopen_coroutine(thread);
    marshal.pushText(thread, "yield");
    lua.lua_rawget(thread, -2);
    // The library is below it on the stack and must not be accessible.
    lua.lua_rotate(thread, -2, 1);
    lua.lua_settop(thread, -2);
    const native = lua.addFunction((target = 0) => this.#native(target), "ii");
    lua.lua_pushcclosure(thread, native, 0);
    marshal.push(thread, hostModules);
    marshal.push(thread, nativeModules);
    return 4;
  }

  #checkTime(thread: number): undefined {
    const now = performance.now();
    if (now < this.#turnEnd) return;
    // On a busy machine a thread waits for its core, which is not the script's fault.
    const leftMs = this.#cpuEnd - this.#deps.cpuMs();
    if (leftMs > 0) {
      this.#turnEnd = now + leftMs;
      return;
    }
    this.#isOutOfTime = true;
    this.#deps.lua.luaL_where(thread, 0);
    this.#deps.marshal.pushText(thread, outOfTime);
    this.#deps.lua.lua_concat(thread, 2);
    this.#deps.lua.lua_error(thread);
  }

  /** Called by Lua with a name and arguments; pushes whether it succeeded, and the answer or the error message. */
  #native(thread: number): number {
    const { lua, marshal, callNative } = this.#deps;
    const { account } = this.#state;
    const { limit } = account;
    account.limit = limit + marshalSlackBytes;
    try {
      const [name, ...args] = this.#state.read(thread, lua.lua_gettop(thread));
      if (name === "over") {
        lua.lua_pushboolean(thread, this.#isOutOfTime ? 1 : 0);
        return 1;
      }
      if (name === "require") {
        this.#pushLibrary(thread, args[0]);
      } else {
        const answer = callNative(typeof name === "string" ? name : "", args);
        lua.lua_pushboolean(thread, 1);
        marshal.push(thread, answer);
      }
    } catch (error) {
      lua.lua_settop(thread, 0);
      lua.lua_pushboolean(thread, 0);
      marshal.pushText(thread, error instanceof Error ? error.message : "unknown error");
    } finally {
      account.limit = limit;
    }
    return 2;
  }

  #pushLibrary(thread: number, name: LuaValue): void {
    const { lua, libraries } = this.#deps;
    const text = typeof name === "string" && Object.hasOwn(libraries, name) ? libraries[name] : undefined;
    if (typeof name !== "string" || text === undefined) throw new Error(`module ${JSON.stringify(name)} not found`);
    lua.lua_pushboolean(thread, 1);
    const problem = this.#state.compile(thread, text, `@${name}.lua`);
    if (problem !== undefined) throw new Error(problem);
  }
}
