import { networkOf } from "@postern/shared/domain/brute-force";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allowance, guessScore, noToleration } from "../toleration.ts";
import { decayed, emptyCount, rolledTo, type WindowCount } from "./window.ts";

const period = 600_000;

function bits(address: string): string {
  return address
    .split(".")
    .map((part) => Number(part).toString(2).padStart(8, "0"))
    .join("");
}

const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });

function countedAt(times: readonly number[], nowMs: number): WindowCount {
  let count = emptyCount;
  for (const time of times) {
    const rolled = rolledTo(count, Math.floor(time / period));
    count = { ...rolled, known: rolled.known + 1 };
  }
  return rolledTo(count, Math.floor(nowMs / period));
}

describe("two windows", () => {
  test("failures count in full until their window ends, and then less and less during the next window", () => {
    const count = countedAt([period, period + 1, period + 2], 2 * period - 1);
    expect(decayed(count, 2 * period - 1, period).known).toBe(3);
    expect(decayed(count, 2 * period, period).known).toBe(3);
    expect(decayed(count, 2.5 * period, period).known).toBe(1.5);
    expect(decayed(count, 3 * period, period).known).toBe(0);
  });

  test("at any times, the count is between the failures of the current window and those of the last two", () => {
    fc.assert(
      fc.property(moment, fc.array(fc.nat(3 * period), { maxLength: 50 }), (start, offsets) => {
        const times = offsets.toSorted((left, right) => left - right).map((offset) => start + offset);
        const now = start + 3 * period;
        const { known } = decayed(countedAt(times, now), now, period);
        const within = times.filter((time) => Math.floor(time / period) === Math.floor(now / period)).length;
        const twoBack = times.filter((time) => Math.floor(time / period) >= Math.floor(now / period) - 1).length;
        expect(known).toBeGreaterThanOrEqual(within);
        expect(known).toBeLessThanOrEqual(twoBack);
      }),
    );
  });

  test("no failure is lost if the clock goes back", () => {
    const count = countedAt([5 * period, 5 * period + 1], 5 * period);
    expect(decayed(count, 4 * period, period).known).toBe(2);
    expect(rolledTo(count, 4)).toBe(count);
  });
});

describe("toleration", () => {
  const tenPercent = { minPercent: 10, maxPercent: 10, scale: 1 };
  const adaptive = { minPercent: 10, maxPercent: 50, scale: 1 };
  const figure = fc.double({ min: 0, max: 10_000, noNaN: true });

  test("every failure counts if no account has signed in, whether the guessed account exists or not", () => {
    expect(guessScore({ known: 4, unknown: 5 }, allowance(0, adaptive))).toBe(9);
    expect(allowance(1000, noToleration)).toBe(0);
  });

  test("at 10 %, 200 accounts excuse 20 failures for known accounts and 5 for unknown ones", () => {
    expect(allowance(200, tenPercent)).toBe(20);
    expect(guessScore({ known: 29, unknown: 0 }, 20)).toBe(9);
    expect(guessScore({ known: 0, unknown: 15 }, 20)).toBe(10);
  });

  test("adaptive percentages grow from the minimum to the maximum", () => {
    expect(allowance(1, adaptive)).toBe(0);
    expect(allowance(99, adaptive)).toBe(49);
    expect(allowance(10_000, adaptive)).toBe(5000);
  });

  test("more accounts never lower the allowance, more failures never lower the score, and no score is negative", () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(1000), figure, figure, figure, (accounts, more, known, unknown, extra) => {
        const allowed = allowance(accounts, adaptive);
        expect(allowance(accounts + more, adaptive)).toBeGreaterThanOrEqual(allowed);
        const score = guessScore({ known, unknown }, allowed);
        expect(score).toBeGreaterThanOrEqual(-1e-6);
        expect(guessScore({ known: known + extra, unknown }, allowed)).toBeGreaterThanOrEqual(score - 1e-6);
        expect(guessScore({ known, unknown: unknown + extra }, allowed)).toBeGreaterThanOrEqual(score - 1e-6);
      }),
    );
  });
});

describe("networks", () => {
  test.each([
    ["192.0.2.77", 24, "192.0.2.0/24"],
    ["192.0.2.77", 32, "192.0.2.77"],
    ["255.255.255.255", 1, "128.0.0.0/1"],
    ["2001:db8:1:2:3::4", 64, "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3::4", 56, "2001:db8:1::/56"],
    ["2001:db8::1", 128, "2001:db8::1"],
  ])("%s in /%i is %s", (address, length, network) => {
    expect(networkOf(address, length)).toBe(network);
  });

  test("two IPv4 addresses share a network if and only if their first bits are equal", () => {
    const address = fc.ipV4();
    fc.assert(
      fc.property(address, address, fc.integer({ min: 1, max: 32 }), (left, right, length) => {
        const same = bits(left).slice(0, length) === bits(right).slice(0, length);
        expect(networkOf(left, length) === networkOf(right, length)).toBe(same);
      }),
    );
  });
});
