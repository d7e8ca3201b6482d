import { expect, test } from "vitest";
import { silenceProof, watchIntervalMs } from "./engine-silence.ts";
import { createServerMoves, type ServerMoves } from "./server-moves.ts";

interface World {
  readonly moves: ServerMoves;
  readonly advance: (ms: number) => void;
}

function world(): World {
  let nowMs = 5000;
  return {
    moves: createServerMoves(() => nowMs, silenceProof),
    advance: (ms) => {
      nowMs += ms;
    },
  };
}

/** Runs the watch with a NATS that responds after `tookMs`; returns the milliseconds until it is time to move. */
function watchFor(ms: number, { moves, advance }: World, tookMs: number | "lost" = 1): number | undefined {
  for (let passed = watchIntervalMs; passed <= ms; passed += watchIntervalMs) {
    advance(watchIntervalMs);
    if (moves.suspicious() && moves.probed(tookMs === "lost" ? undefined : tookMs)) return passed;
  }
  return undefined;
}

test("it is time to move 2.0 to 2.1 s after the last heartbeat", () => {
  const here = world();
  here.moves.heard();
  const afterMs = watchFor(5000, here);
  expect(afterMs).toBeGreaterThanOrEqual(1960);
  expect(afterMs).toBeLessThanOrEqual(2100);
});

test("engines that start together with this process have more than five seconds", () => {
  expect(watchFor(60_000, world())).toBeGreaterThan(5000);
});

test("while engines are heard, or while NATS does not answer promptly, nothing moves", () => {
  const here = world();
  for (let turn = 0; turn < 100; turn += 1) {
    here.moves.heard();
    expect(watchFor(1900, here)).toBeUndefined();
  }
  expect(watchFor(60_000, here, 100)).toBeUndefined();
  expect(watchFor(60_000, here, "lost")).toBeUndefined();
});

test("without any engine, the pauses between moves grow up to a minute; only the first move expects the engines back", () => {
  const here = world();
  here.moves.heard();
  const pauses: number[] = [];
  const expected: boolean[] = [];
  for (let move = 0; move < 9; move += 1) {
    pauses.push(Math.floor((watchFor(120_000, here) ?? 0) / 1000));
    expected.push(here.moves.moved());
  }
  expect(pauses).toEqual([2, 2, 3, 5, 9, 17, 33, 61, 61]);
  expect(expected).toEqual([true, ...Array.from({ length: 8 }, () => false)]);
  here.moves.heard();
  expect(watchFor(5000, here)).toBeLessThanOrEqual(2100);
  expect(here.moves.moved()).toBe(true);
});

test("requests wait for the first move after the last heartbeat, for five seconds at most", () => {
  const here = world();
  watchFor(60_000, here);
  expect(here.moves.isAhead()).toBe(false);
  here.moves.heard();
  expect(here.moves.isAhead()).toBe(false);
  here.advance(400);
  expect(here.moves.isAhead()).toBe(true);
  here.advance(4600);
  expect(here.moves.isAhead()).toBe(false);
  here.moves.heard();
  watchFor(5000, here);
  here.moves.moved();
  here.advance(1000);
  expect(here.moves.isAhead()).toBe(false);
});
