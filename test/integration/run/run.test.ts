import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { poll, scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { identityOf, isAlive } from "../../../tools/run/identity.ts";
import { aliveProcesses, readState, type State, writeState } from "../../../tools/run/state.ts";
import { demoIn, plantServices, runTool, startRunner } from "./stand-ins.ts";

function stateIn(folder: string): State {
  const state = readState(folder);
  if (state === undefined) throw new Error("no state");
  return state;
}

function stopRequestedAt(folder: string, name: string): bigint {
  const log = readFileSync(join(folder, "logs", `${name}.log`), "utf8");
  return BigInt(/asked to end at (\d+)/u.exec(log)?.[1] ?? 0);
}

test("starts stores, services and two engines; a second run does no harm; SIGINT stops the gateway first", async () => {
  await using root = await scratchFolder();
  plantServices(root.path);
  const demo = await demoIn(root.path);
  await using runner = await startRunner(demo);
  const state = stateIn(demo.folder);
  const names = ["redis", "nats", "gateway", "auth-engine", "auth-engine-2", "idp", "admin", "jobs-worker"];
  expect(aliveProcesses(state).map(({ name }) => name)).toEqual(names);

  const second = await runTool("run", demo.args);
  expect(second).toMatchObject({ code: 0, output: expect.stringContaining(`is already running at ${state.address}`) });
  expect(aliveProcesses(state).length).toBe(names.length);

  runner.signal("SIGINT");
  // A second signal, as stop() sends it, would kill the services.
  await poll("the end of the runner", () => !isAlive(state.runner));
  expect(await runner.stop()).toBe(0);
  expect(aliveProcesses(state)).toEqual([]);
  expect(existsSync(join(demo.folder, "state.json"))).toBe(false);
  const others = names.slice(3).map((name) => stopRequestedAt(demo.folder, name));
  expect(stopRequestedAt(demo.folder, "gateway")).toBeGreaterThan(0n);
  expect(others.every((at) => at > stopRequestedAt(demo.folder, "gateway"))).toBe(true);
});

test("the end of its terminal stops all processes", async () => {
  await using root = await scratchFolder();
  plantServices(root.path);
  const demo = await demoIn(root.path);
  await using runner = await startRunner(demo);
  const state = stateIn(demo.folder);
  runner.process.stdout?.destroy();
  runner.process.stderr?.destroy();
  runner.signal("SIGHUP");
  await poll("the end of all processes", () => aliveProcesses(state).length === 0 && !isAlive(state.runner));
  expect(existsSync(join(demo.folder, "state.json"))).toBe(false);
});

test("a service that dies is reported and started again", async () => {
  await using root = await scratchFolder();
  plantServices(root.path);
  const demo = await demoIn(root.path);
  await using runner = await startRunner(demo);
  const before = stateIn(demo.folder).processes.find(({ name }) => name === "idp");
  process.kill(before?.pid ?? 0, "SIGKILL");
  const after = await poll("a new idp", () => {
    const now = aliveProcesses(stateIn(demo.folder)).find(({ name }) => name === "idp");
    return now?.pid !== before?.pid && now;
  });
  expect(isAlive(after)).toBe(true);
  expect(runner.output()).toContain(`idp was terminated by SIGKILL. Its last lines:\n    idp pid ${before?.pid}`);
});

test("a service that dies during the start ends the run with its last lines, and no process remains", async () => {
  await using root = await scratchFolder();
  plantServices(root.path, "admin");
  const demo = await demoIn(root.path);
  const { code, output } = await runTool("run", demo.args);
  expect(code).toBe(1);
  expect(output).toContain("admin ended with code 3. Its last lines:\n    no such directory: demo.db");
  expect(existsSync(join(demo.folder, "state.json"))).toBe(false);
  expect(stopRequestedAt(demo.folder, "gateway")).toBeGreaterThanOrEqual(0n);
  const again = await runTool("run", demo.args);
  expect(again.output).not.toContain("in use by another program");
});

test("stop ends the processes that a killed runner left behind", async () => {
  await using root = await scratchFolder();
  plantServices(root.path);
  const demo = await demoIn(root.path);
  await using runner = await startRunner(demo);
  const state = stateIn(demo.folder);
  runner.signal("SIGKILL");
  await poll("the end of the runner", () => !isAlive(state.runner));
  expect(aliveProcesses(state).length).toBe(8);
  const { code, output } = await runTool("stop", ["--folder", demo.folder]);
  expect({ code, alive: aliveProcesses(state) }).toEqual({ code: 0, alive: [] });
  expect(output).toContain("Stopped.");
  expect((await runTool("stop", ["--folder", demo.folder])).output).toContain("Nothing to stop.");
});

test("stop never ends a process that has reused a recorded pid", async () => {
  await using root = await scratchFolder();
  const stranger = spawn("sleep", ["60"]);
  try {
    const identity = identityOf(stranger.pid ?? 0);
    if (identity === undefined) throw new Error("sleep did not start");
    const recorded = { ...identity, startTime: "1", name: "gateway", stopStage: 1 } as const;
    writeState(root.path, { runner: recorded, address: "http://localhost:1", processes: [recorded] });
    const { output } = await runTool("stop", ["--folder", root.path]);
    expect(output).toContain("Nothing to stop.");
    expect(isAlive(identity)).toBe(true);
  } finally {
    stranger.kill("SIGKILL");
  }
});

test.each(["a damaged state file %j counts as no state", "{", '{"runner": {"pid": 1}}'])(
  "a torn state file %j is no state",
  async (text) => {
    await using root = await scratchFolder();
    writeFileSync(join(root.path, "state.json"), text);
    expect(await runTool("stop", ["--folder", root.path])).toEqual({ code: 0, output: "Nothing to stop.\n" });
  },
);

test("a port in use is reported with the program that needs it", async () => {
  await using root = await scratchFolder();
  plantServices(root.path);
  const demo = await demoIn(root.path);
  const port = 16_379 + demo.portOffset;
  const stranger = createServer().listen(port, "127.0.0.1");
  await once(stranger, "listening");
  try {
    const { code, output } = await runTool("run", demo.args);
    expect(code).toBe(1);
    expect(output).toContain(`in use by another program: 127.0.0.1:${port} (redis)`);
  } finally {
    stranger.close();
  }
});
