import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeCbor } from "./decode.ts";
import { encodeCbor } from "./encode.ts";
import { askOracle, cborText } from "./testing/index.ts";
import type { CborEncodable } from "./value.ts";

const hex = (value: CborEncodable): string => encodeCbor(value).toString("hex");

const { value: encodable } = fc.letrec<{ value: CborEncodable }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    cborText,
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 30 }),
    fc.dictionary(cborText, tie("value"), { maxKeys: 30 }),
  ),
}));

function asMaps(value: CborEncodable): unknown {
  if (Array.isArray(value)) return value.map(asMaps);
  if (typeof value === "object" && value !== null) {
    return new Map(Object.entries(value).map(([key, inner]) => [key, asMaps(inner)]));
  }
  return Object.is(value, -0) ? 0 : value;
}

describe("the deterministic encoding (RFC 8949 §4.2.1)", () => {
  test.each<[CborEncodable, string]>([
    [null, "f6"],
    [false, "f4"],
    [true, "f5"],
    [0, "00"],
    [-0, "00"],
    [23, "17"],
    [24, "1818"],
    [255, "18ff"],
    [256, "190100"],
    [65_535, "19ffff"],
    [65_536, "1a00010000"],
    [4_294_967_295, "1affffffff"],
    [4_294_967_296, "1b0000000100000000"],
    [9_007_199_254_740_991, "1b001fffffffffffff"],
    [-1, "20"],
    [-256, "38ff"],
    [-9_007_199_254_740_991, "3b001ffffffffffffe"],
    ["", "60"],
    ["ü", "62c3bc"],
    [[], "80"],
    [{}, "a0"],
    [{ ok: true, error: "x" }, "a2626f6bf5656572726f726178"],
  ])("%j is %s", (value, expected) => {
    expect(hex(value)).toBe(expected);
  });

  test("keys are in the order of their encoded bytes: by length first, then by bytes", () => {
    const keys = ["z", "", "aa", "b", "é", "￿", "\u{10000}", "a".repeat(24), "b".repeat(23), "a"];
    const sorted = keys.toSorted((left, right) => Buffer.compare(encodeCbor(left), encodeCbor(right)));
    const map = decodeCbor(encodeCbor(Object.fromEntries(keys.map((key) => [key, 1]))));
    expect(map instanceof Map && [...map.keys()]).toEqual(sorted);
  });

  test("the insertion order of a map does not affect the encoding", () => {
    expect(hex({ backend: 8, ok: true })).toBe(hex({ ok: true, backend: 8 }));
  });

  test("floats and integers beyond exact doubles are rejected", () => {
    for (const number of [1.5, 2 ** 53, Number.NaN, Infinity]) expect(() => encodeCbor(number)).toThrow(RangeError);
  });

  test("an unpaired surrogate becomes U+FFFD", () => {
    expect(decodeCbor(encodeCbor("a\ud800b"))).toBe("a�b");
  });

  test("a member called __proto__ is an ordinary member", () => {
    const map = decodeCbor(encodeCbor(JSON.parse('{"__proto__":1}')));
    expect(map).toEqual(new Map([["__proto__", 1]]));
  });
});

test("an encoded value decodes to itself, with our decoder and the oracle", () => {
  fc.assert(
    fc.property(encodable, (value) => {
      const bytes = encodeCbor(value);
      expect(decodeCbor(bytes)).toEqual(asMaps(value));
      expect(askOracle(bytes)).toEqual({ taken: asMaps(value) });
    }),
  );
});

test("a value larger than the first buffer", () => {
  const list = Array.from({ length: 3000 }, (_, index) => `account-${index}@example.test`);
  expect(decodeCbor(encodeCbor({ list }))).toEqual(new Map([["list", list]]));
});
