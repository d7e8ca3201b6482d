import type { Wait } from "@postern/shared/platform/concurrency";
import { describe, expect, it } from "vitest";
import { BoundedQueue } from "./bounded-queue.ts";

const wait = (ms: number, signal = new AbortController().signal): Wait => ({
  context: { deadline: 1000 + ms, signal },
  clock: { now: () => 1000 },
  waitingFor: "a place",
});
const anything = (): boolean => true;

describe("a bounded queue", () => {
  it("serves callers in order and immediately rejects one beyond its capacity", async () => {
    const queue = new BoundedQueue<string>(2);
    const first = queue.wait(wait(1000), anything);
    const second = queue.wait(wait(1000), anything);
    await expect(queue.wait(wait(1000), anything)).rejects.toMatchObject({ code: "DIRECTORY_OVERLOADED" });
    expect([queue.offer("a"), queue.offer("b"), queue.offer("c")]).toEqual([true, true, false]);
    expect(await Promise.all([first, second])).toEqual(["a", "b"]);
  });

  it("frees the place of a caller whose deadline passed or who aborted, before or during the wait", async () => {
    const queue = new BoundedQueue<string>(3);
    const controller = new AbortController();
    const late = queue.wait(wait(5), anything);
    const aborted = queue.wait(wait(1000, controller.signal), anything);
    const gone = queue.wait(wait(1000, AbortSignal.abort()), anything);
    controller.abort();
    await Promise.all([
      expect(aborted).rejects.toMatchObject({ code: "REQUEST_ABORTED" }),
      expect(gone).rejects.toMatchObject({ code: "REQUEST_ABORTED" }),
      expect(late).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" }),
    ]);
    expect(queue.length).toBe(0);
    expect(queue.offer("a")).toBe(false);
  });

  it("skips callers that do not accept the offered value", async () => {
    const queue = new BoundedQueue<string>(2);
    const picky = queue.wait(wait(1000), (value) => value === "b");
    const plain = queue.wait(wait(1000), anything);
    queue.offer("a");
    queue.offer("b");
    expect(await Promise.all([picky, plain])).toEqual(["b", "a"]);
  });
});
