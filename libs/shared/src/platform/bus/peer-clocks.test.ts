import fc from "fast-check";
import { expect, test } from "vitest";
import { createPeerClocks } from "./peer-clocks.ts";

function clockAt(start: number) {
  const clock = { time: start, now: () => clock.time };
  return clock;
}

test("the fastest message determines the difference between the clocks, whatever its size", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e7, max: 1e7 }),
      fc.array(fc.nat(4000), { minLength: 1, maxLength: 50 }),
      (skew, waits) => {
        const clock = clockAt(1e12);
        const peers = createPeerClocks(clock);
        const sentAt = (wait: number): number => clock.time - wait - skew;
        const offsets = waits.map((wait) => peers.offsetMs("a", sentAt(wait)));
        expect(offsets.at(-1)).toBe(skew + Math.min(...waits));
      },
    ),
  );
});

test("the time that a message spends in transit counts against its deadline", () => {
  const clock = clockAt(1e12);
  const peers = createPeerClocks(clock);
  peers.offsetMs("a", clock.time - 60_000);
  const sentAt = clock.time - 60_000;
  clock.time += 3000;
  expect(sentAt + 2000 + peers.offsetMs("a", sentAt)).toBeLessThan(clock.time);
});

test.each([-20_000, 20_000])("a peer's clock that is changed by %d ms is recognised within two windows", (step) => {
  const clock = clockAt(1e12);
  const peers = createPeerClocks(clock);
  peers.offsetMs("a", clock.time);
  const offsets: number[] = [];
  for (let second = 0; second < 11; second += 1) {
    clock.time += 1000;
    offsets.push(peers.offsetMs("a", clock.time + step));
  }
  expect(offsets.at(-1)).toBe(-step);
});

test("peers do not share their offsets, and their number is limited", () => {
  const clock = clockAt(1e12);
  const peers = createPeerClocks(clock);
  peers.offsetMs("first", clock.time - 5000);
  expect(peers.offsetMs("other", clock.time - 7000)).toBe(7000);
  for (let peer = 0; peer < 2000; peer += 1) peers.offsetMs(`p${peer}`, clock.time);
  expect(peers.offsetMs("first", clock.time - 9000)).toBe(9000);
});
