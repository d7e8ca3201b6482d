import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScriptPool, type ScriptPool, type ScriptPoolDeps } from "./pool.ts";

const script = `
local cidr = require("cidr")
local json = require("json")
local http = require("http")
function echo(value) return value end
function loop() while true do end end
function stubborn() while true do pcall(function() while true do end end) end end
function backtrack() return string.find(string.rep("a", 40000), string.rep("a*", 40) .. "b") end
function hoard() local all = {} while true do all[#all + 1] = string.rep("x", 1000) .. #all end end
function big() return string.rep("x", 1e9) end
function throw() local nothing = nil return nothing.field end
function leak() remembered = 1 end
function reach() return { os = type(os), io = type(io), load = type(load), debug = type(debug), package = type(package), co = type(coroutine), dump = type(string.dump) } end
function fetch(url) local ok, answer = pcall(http.request, { url = url }) return { ok = ok, answer = answer } end
function inside() return cidr.contains({ "192.0.2.0/24" }, "192.0.2.9") end
function round() return json.decode(json.encode({ a = { 1, 2 }, b = "x" })) end
function chat() require("log").info("hello", { n = 1 }) end
function lib() return require("greet").to("bob") end
`;

const lines: unknown[] = [];
const replaced: string[] = [];
const limits = { workers: 2, maxInFlight: 1000, cpuLimitMs: 50, memoryLimitBytes: 8 * 1024 * 1024 };
const deps: ScriptPoolDeps = {
  set: {
    scripts: [{ name: "site.lua", source: script, entryPoints: ["echo"] }],
    libraries: { greet: `local M = {} function M.to(n) return "hello " .. n end return M` },
    texts: {},
  },
  limits,
  host: async (name, args) => {
    if (JSON.stringify(args).includes("never")) return new Promise(() => undefined);
    if (JSON.stringify(args).includes("bad")) throw new Error("refused");
    return { name, status: 200 };
  },
  onLog: (line) => void lines.push(line),
  onCount: () => undefined,
  onReplaced: (reason) => void replaced.push(reason),
};
let pool: ScriptPool;
beforeAll(async () => {
  pool = await createScriptPool(deps);
});
afterAll(() => pool.close());

const run = (entry: string, ...args: readonly (string | number | object)[]) =>
  pool.run({
    script: "site.lua",
    entry,
    args: args.map((arg) => JSON.parse(JSON.stringify(arg))),
    deadline: Date.now() + 60_000,
    session: "s1",
  });

test("values pass through a script unchanged", async () => {
  const value = { text: "grüß", n: 3, f: 1.5, list: [1, "two", { three: true }], yes: true, no: false };
  expect(await run("echo", value)).toEqual(value);
  expect(await run("round")).toEqual({ a: [1, 2], b: "x" });
  expect(await run("inside")).toBe(true);
  expect(await run("lib")).toBe("hello bob");
});

test("scripts have no access to files, processes, code from text or the debugger", async () => {
  expect(new Set(Object.values(JSON.parse(JSON.stringify(await run("reach")))))).toEqual(new Set(["nil"]));
});

test("an optional function that the script lacks returns nothing; any other is an error", async () => {
  const call = { script: "site.lua", args: [1], deadline: Date.now() + 60_000 };
  expect(await pool.run({ ...call, entry: "absent", isOptional: true })).toBeUndefined();
  expect(await pool.run({ ...call, entry: "echo", isOptional: true })).toBe(1);
  await expect(pool.run({ ...call, entry: "absent" })).rejects.toMatchObject({ code: "SCRIPT_FAILED" });
});

test("an error contains file and line", async () => {
  await expect(run("throw")).rejects.toMatchObject({
    code: "SCRIPT_FAILED",
    message: expect.stringContaining("site.lua:11: attempt to index"),
  });
});

test("a request cannot leave a global variable for the next", async () => {
  await expect(run("leak")).rejects.toThrow("global variable remembered set inside a function");
});

test.each(["loop", "stubborn"])("%s is stopped, and the same worker continues", async (entry) => {
  const reasons: string[] = [];
  const small = await createScriptPool({
    ...deps,
    limits: { ...limits, workers: 1 },
    onReplaced: (reason) => void reasons.push(reason),
  });
  const call = (name: string) =>
    small.run({ script: "site.lua", entry: name, args: [1], deadline: Date.now() + 60_000 });
  await expect(call(entry)).rejects.toThrow("time limit");
  expect(reasons).toEqual([]);
  expect(await call("echo")).toBe(1);
  await small.close();
});

test("CPU time of the process's other threads does not make a worker look stuck", async () => {
  const reasons: string[] = [];
  const small = await createScriptPool({
    ...deps,
    limits: { ...limits, workers: 1, cpuLimitMs: 100 },
    onReplaced: (reason) => void reasons.push(reason),
  });
  // The script reaches its own limit after several times its CPU time.
  const others = Array.from(
    { length: 3 * availableParallelism() },
    () => new Worker("require('node:worker_threads').parentPort.postMessage('runs'); while (true);", { eval: true }),
  );
  await Promise.all(others.map((other) => once(other, "message")));
  const call = { script: "site.lua", entry: "loop", args: [], deadline: Date.now() + 60_000 };
  await expect(small.run(call)).rejects.toThrow("time limit exceeded: site.lua");
  await Promise.all(others.map((other) => other.terminate()));
  expect(reasons).toEqual([]);
  await small.close();
});

test.each(["hoard", "big"])("%s exceeds a limit, and other calls continue", async (entry) => {
  // Filling memory gradually may take longer than a script's CPU limit.
  await expect(run(entry)).rejects.toThrow(entry === "big" ? "memory limit" : /limit exceeded/);
  expect(await run("echo", 2)).toBe(2);
});

test("while a script waits for a module, others run; its errors can be caught; its deadline ends it", async () => {
  const waiting = pool
    .run({ script: "site.lua", entry: "fetch", args: ["never"], deadline: Date.now() + 150 })
    .catch((error: unknown) => error);
  expect(await run("fetch", "good")).toEqual({ ok: true, answer: { name: "http.request", status: 200 } });
  expect(await run("fetch", "bad")).toEqual({ ok: false, answer: "http.request: refused" });
  expect(await waiting).toMatchObject({ code: "DEADLINE_EXCEEDED" });
});

test("log lines contain script and session", async () => {
  await run("chat");
  expect(lines).toContainEqual(
    expect.objectContaining({ script: "site.lua", level: "info", message: "hello", session: "s1", fields: { n: 1 } }),
  );
});

test("a function that cannot be interrupted ends its worker, and no other call fails", async () => {
  replaced.length = 0;
  const stuck = run("backtrack");
  const others = Array.from({ length: 200 }, (_, index) => run("echo", index));
  await expect(stuck).rejects.toMatchObject({ code: "SCRIPT_FAILED" });
  expect(await Promise.all(others)).toEqual(Array.from({ length: 200 }, (_, index) => index));
  expect(replaced).toEqual(["stuck"]);
  await expect.poll(() => pool.load().workers).toBe(2);
  expect(await run("echo", 3)).toBe(3);
});

test("calls above the limit are rejected immediately", async () => {
  const small = await createScriptPool({ ...deps, limits: { ...limits, workers: 1, maxInFlight: 1 } });
  const first = small
    .run({ script: "site.lua", entry: "fetch", args: ["never"], deadline: Date.now() + 100 })
    .catch((error: unknown) => error);
  await expect(
    small.run({ script: "site.lua", entry: "echo", args: [1], deadline: Date.now() + 100 }),
  ).rejects.toMatchObject({ code: "OVERLOADED" });
  expect(await first).toMatchObject({ code: "DEADLINE_EXCEEDED" });
  await small.close();
});

test.each([
  ["that does not compile", "function echo(", "site.lua:1:"],
  ["that fails while it loads", "error('no way')", "site.lua:1: no way"],
  ["without its function", "x = 1", "no function echo"],
  ["that loops while it loads", "while true do end", "time limit"],
])("a script %s is rejected with the reason", async (_what, source, reason) => {
  const set = { ...deps.set, scripts: [{ name: "site.lua", source, entryPoints: ["echo"] }] };
  await expect(createScriptPool({ ...deps, set })).rejects.toThrow(reason);
});

test("calls whose results were in transit when their thread ended still return them", async () => {
  const small = await createScriptPool({ ...deps, limits: { ...limits, workers: 1 } });
  const call = (entry: string, index: number) =>
    small.run({ script: "site.lua", entry, args: [index], deadline: Date.now() + 60_000 });
  const before = Array.from({ length: 20 }, (_, index) => call("echo", index));
  const stuck = call("backtrack", 0);
  const after = Array.from({ length: 20 }, (_, index) => call("echo", index));
  await expect(stuck).rejects.toMatchObject({ code: "SCRIPT_FAILED" });
  const expected = Array.from({ length: 20 }, (_, index) => index);
  expect(await Promise.all(before)).toEqual(expected);
  expect(await Promise.all(after)).toEqual(expected);
  await small.close();
});
