import { describe, expect, it } from "vitest";
import { createWorkGate } from "./work-gate.ts";

const never = new AbortController().signal;
const context = (remainingMs = 20_000, signal = never) => ({ deadline: Date.now() + remainingMs, signal });

/** Work that ends on request. */
function heldWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let hasStarted = false;
  const run = (): Promise<string> => {
    hasStarted = true;
    return promise;
  };
  return { run, end: () => resolve("done"), fail: reject, hasStarted: () => hasStarted };
}

describe("createWorkGate", () => {
  it("runs and queues work up to its limits, and rejects further work immediately", async () => {
    const gate = createWorkGate(2, 2);
    const works = Array.from({ length: 4 }, heldWork);
    const runs = works.map((work) => gate.run(work.run, context()));
    await expect(gate.run(heldWork().run, context())).rejects.toMatchObject({ code: "DIRECTORY_OVERLOADED" });
    expect(works.map((work) => work.hasStarted())).toEqual([true, true, false, false]);
    expect(gate.load()).toEqual({ running: 2, queued: 2, startedTotal: 2, shedTotal: 1 });
    for (const work of works) work.end();
    expect(await Promise.all(runs)).toEqual(["done", "done", "done", "done"]);
    expect(gate.load()).toEqual({ running: 0, queued: 0, startedTotal: 4, shedTotal: 1 });
  });

  it("starts queued work in order of arrival, even after a failure", async () => {
    const gate = createWorkGate(1, 5);
    const [first, second, third] = [heldWork(), heldWork(), heldWork()];
    const runs = [first, second, third].map((work) => gate.run(work.run, context()));
    first.fail(new Error("broken"));
    await expect(runs[0]).rejects.toThrow("broken");
    expect([second.hasStarted(), third.hasStarted()]).toEqual([true, false]);
    second.end();
    third.end();
    expect(await Promise.all(runs.slice(1))).toEqual(["done", "done"]);
  });

  it("never starts work that was aborted or is past its deadline, and frees its place in the queue", async () => {
    const gate = createWorkGate(1, 2);
    const holder = heldWork();
    const held = gate.run(holder.run, context());
    const [late, aborted, next] = [heldWork(), heldWork(), heldWork()];
    const abort = new AbortController();
    const lateRun = gate.run(late.run, context(20));
    const abortedRun = gate.run(aborted.run, context(20_000, abort.signal));
    abort.abort();
    await expect(abortedRun).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
    await expect(lateRun).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    expect(gate.load().queued).toBe(0);
    const nextRun = gate.run(next.run, context());
    holder.end();
    next.end();
    expect(await Promise.all([held, nextRun])).toEqual(["done", "done"]);
    expect([late.hasStarted(), aborted.hasStarted()]).toEqual([false, false]);
  });

  it("rejects running work at its deadline, but keeps its slot until the work ends", async () => {
    const gate = createWorkGate(1, 1);
    const work = heldWork();
    await expect(gate.run(work.run, context(20))).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    const waiting = heldWork();
    const run = gate.run(waiting.run, context());
    expect(gate.load()).toMatchObject({ running: 1, queued: 1 });
    work.end();
    waiting.end();
    expect(await run).toBe("done");
  });

  it("starts no work that arrives late or aborted", async () => {
    const gate = createWorkGate(1, 1);
    const work = heldWork();
    await expect(gate.run(work.run, context(-1))).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    const aborted = context(20_000, AbortSignal.abort());
    await expect(gate.run(work.run, aborted)).rejects.toMatchObject({ code: "REQUEST_ABORTED" });
    expect(work.hasStarted()).toBe(false);
  });

  it("on close waits for running work, and rejects queued and new work", async () => {
    const gate = createWorkGate(1, 1);
    const work = heldWork();
    const running = gate.run(work.run, context());
    const waiting = gate.run(heldWork().run, context());
    const closed = gate.close();
    await expect(waiting).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
    await expect(gate.run(heldWork().run, context())).rejects.toMatchObject({ code: "SHUTTING_DOWN" });
    work.end();
    expect(await running).toBe("done");
    await closed;
    expect(gate.load().running).toBe(0);
  });
});
