import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createResponseDelays, waitForDelay } from "./response-delays.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("delayed responses", () => {
  test("are sent once, after their time", () => {
    const delays = createResponseDelays();
    const answer = vi.fn();
    expect(delays.delay({ key: "a", ms: 1000, maxPerKey: 1 }, answer)).toBeDefined();
    vi.advanceTimersByTime(999);
    expect(answer).not.toHaveBeenCalled();
    vi.advanceTimersByTime(10_000);
    expect(answer).toHaveBeenCalledTimes(1);
  });

  test("are limited per caller and in total, and free their place", () => {
    const delays = createResponseDelays(3);
    const hold = (key: string) => delays.delay({ key, ms: 1000, maxPerKey: 2 }, () => undefined);
    const first = hold("a");
    hold("a");
    expect(hold("a")).toBeUndefined();
    expect(hold("b")).toBeDefined();
    expect(hold("c")).toBeUndefined();
    first?.();
    first?.();
    expect(hold("a")).toBeDefined();
    vi.advanceTimersByTime(1000);
    expect(hold("a")).toBeDefined();
  });

  test("are sent immediately at shutdown, and no further ones are delayed", () => {
    const delays = createResponseDelays();
    const answer = vi.fn();
    delays.delay({ key: "a", ms: 1000, maxPerKey: 9 }, answer);
    delays.end();
    expect(answer).toHaveBeenCalledTimes(1);
    expect(delays.delay({ key: "a", ms: 1000, maxPerKey: 9 }, answer)).toBeUndefined();
    vi.advanceTimersByTime(5000);
    expect(answer).toHaveBeenCalledTimes(1);
  });

  test("are cancelled when their client disconnects", async () => {
    const delays = createResponseDelays();
    const client = new AbortController();
    const waited = waitForDelay(delays, { key: "a", ms: 1000, maxPerKey: 1 }, client.signal);
    client.abort();
    await waited;
    expect(delays.delay({ key: "a", ms: 1000, maxPerKey: 1 }, () => undefined)).toBeDefined();
  });
});
