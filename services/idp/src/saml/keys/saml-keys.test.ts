import { beforeAll, describe, expect, it } from "vitest";
import { derOf, type GeneratedKey, isKeyDue, makeKey, usableKeys, withoutFormer } from "./saml-keys.ts";

const hour = 3_600_000;
const rotation = { intervalMs: 1000 * hour, publishMs: 100 * hour };
let allKeys: readonly GeneratedKey[];

beforeAll(async () => {
  allKeys = await Promise.all([0, 1000 * hour, 2000 * hour].map((atMs) => makeKey("test", atMs)));
});

/** The indexes of the keys that the metadata list at an hour, the signing key first. */
function published(count: number, atHour: number): readonly number[] {
  const keys = allKeys.slice(0, count);
  const kept = withoutFormer(keys, rotation, atHour * hour);
  return usableKeys(kept, rotation, atHour * hour).published.map((certificate) =>
    allKeys.findIndex((key) => derOf(key.certificate) === certificate),
  );
}

describe("the signing keys", () => {
  it("are replaced at the configured age, or never if none is configured", () => {
    const [first] = allKeys;
    if (first === undefined) throw new Error("no key");
    expect(isKeyDue([], rotation, 0)).toBe(true);
    expect(isKeyDue([first], rotation, 1000 * hour - 1)).toBe(false);
    expect(isKeyDue([first], rotation, 1000 * hour)).toBe(true);
    expect(isKeyDue([first], { ...rotation, intervalMs: 0 }, 10_000 * hour)).toBe(false);
  });

  it("the first key signs immediately, because service providers know no other key", () => {
    expect(published(1, 0)).toEqual([0]);
  });

  it("a new key is published before it signs, and the previous one stays published for the same time afterwards", () => {
    expect(published(2, 1000)).toEqual([0, 1]);
    expect(published(2, 1099)).toEqual([0, 1]);
    expect(published(2, 1100)).toEqual([1, 0]);
    expect(published(2, 1199)).toEqual([1, 0]);
    expect(published(2, 1200)).toEqual([1]);
  });

  it("at most two generations are published together", () => {
    expect(published(3, 2000)).toEqual([1, 2]);
    expect(published(3, 2100)).toEqual([2, 1]);
    expect(published(3, 2200)).toEqual([2]);
  });
});
