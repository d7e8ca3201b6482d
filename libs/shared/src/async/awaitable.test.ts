import { expect, test } from "vitest";
import { type Awaitable, after, orElse } from "./awaitable.ts";

const boom = new Error("boom");
const fail = (): never => {
  throw boom;
};

test("what is there goes on at once, what is awaited goes on later", async () => {
  expect(after(1, (value) => value + 1)).toBe(2);
  const later = after(Promise.resolve(1), (value) => value + 1);
  expect(later).toBeInstanceOf(Promise);
  expect(await later).toBe(2);
  expect(await after(1, async (value) => value + 1)).toBe(2);
});

test("an error ends what follows, thrown or rejected as it was", async () => {
  expect(() => after(1, fail)).toThrow(boom);
  await expect(after(Promise.resolve(1), fail)).rejects.toBe(boom);
  await expect(after(Promise.reject(boom), () => "never")).rejects.toBe(boom);
});

const ways: readonly (readonly [string, () => Awaitable<number>])[] = [
  ["thrown", fail],
  ["rejected", () => Promise.reject(boom)],
];

test.each(ways)("an error that is %s is told as it is, and what is made of it counts", async (_how, make) => {
  const told: unknown[] = [];
  const made = orElse(make, (thrown) => {
    told.push(thrown);
    return "instead";
  });
  expect(await made).toBe("instead");
  expect(told).toEqual([boom]);
  await expect((async () => orElse(make, fail))()).rejects.toBe(boom);
});

test("without an error nothing is made of it", async () => {
  expect(orElse(() => 1, fail)).toBe(1);
  expect(await orElse(async () => 1, fail)).toBe(1);
});
