import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CborError, type CborRefusal, cborRefusals } from "./cbor-error.ts";
import { cborLimits, decodeCbor } from "./decode.ts";
import { encodeCbor } from "./encode.ts";
import { askOracle, isCommonRule, readCborCorpus, wellFormedCbor } from "./testing/index.ts";

function refusalOf(bytes: Buffer): CborRefusal {
  try {
    decodeCbor(bytes);
  } catch (error) {
    if (error instanceof CborError) return error.reason;
    throw error;
  }
  throw new Error("was taken");
}

/** Maps as plain objects, to compare with JSON. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
  return Array.isArray(value) ? value.map(plain) : value;
}

/** The same value with Node's views for byte strings, which the decoder returns. */
function asViews(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [key, asViews(inner)]));
  return Array.isArray(value) ? value.map(asViews) : value;
}

/** `count` times the item 0, in an array with a 16-bit head. */
const arrayOf = (count: number): Buffer =>
  Buffer.concat([Buffer.of(0x99, count >> 8, count & 0xff), Buffer.alloc(count)]);

function mapOf(count: number): Buffer {
  const pairs = Array.from({ length: count }, (_, index) => [...encodeCbor(`k${index}`), 0x00]);
  return Buffer.from([0xb9, count >> 8, count & 0xff, ...pairs.flat()]);
}

/** A map of two pairs, the first of which contains a map. */
function twoMaps(innerPairs: number): Buffer {
  return Buffer.concat([Buffer.of(0xa2, 0x60), mapOf(innerPairs), Buffer.of(0x61, 0x61, 0x00)]);
}

const items = [...readCborCorpus("rfc8949-appendix-a"), ...readCborCorpus("taken"), ...readCborCorpus("refused")];

describe("the corpus", () => {
  test.each(items.filter(({ refused }) => refused !== undefined))("$what: $hex is rejected as $refused", (item) => {
    expect(refusalOf(item.bytes)).toBe(item.refused);
  });

  test.each(items.filter(({ value }) => value !== undefined))("$what: $hex is accepted", ({ bytes, value }) => {
    expect(plain(decodeCbor(bytes))).toEqual(value);
  });

  test("byte strings are returned as views of the body", () => {
    const cases = items.flatMap(({ bytes, byteString }) => (byteString === undefined ? [] : [{ bytes, byteString }]));
    expect(cases).not.toEqual([]);
    for (const { bytes, byteString } of cases) {
      const value = decodeCbor(bytes);
      expect(value).toEqual(byteString);
      expect(value instanceof Uint8Array && value.buffer === bytes.buffer).toBe(true);
    }
  });

  test("negative zero", () => {
    const cases = items.filter(({ negativeZero }) => negativeZero);
    expect(cases.map(({ bytes }) => decodeCbor(bytes))).toEqual([-0]);
  });

  test("has an item for every reason except the size", () => {
    const reasons = new Set(items.map(({ refused }) => refused));
    expect(Object.keys(cborRefusals).filter((reason) => !reasons.has(reason))).toEqual(["too-large"]);
  });
});

describe("limits of CBOR bodies", () => {
  test("1 MiB is accepted, one byte more is not", () => {
    const text = encodeCbor("x".repeat(cborLimits.maxBytes - 5));
    expect(text).toHaveLength(cborLimits.maxBytes);
    expect(decodeCbor(text)).toHaveLength(cborLimits.maxBytes - 5);
    expect(refusalOf(Buffer.alloc(cborLimits.maxBytes + 1))).toBe("too-large");
  });

  test("4096 array elements are accepted, one more is not", () => {
    expect(decodeCbor(arrayOf(4096))).toHaveLength(4096);
    expect(refusalOf(arrayOf(4097))).toBe("too-many-elements");
  });

  test("the elements of all arrays count together", () => {
    expect(decodeCbor(Buffer.concat([Buffer.of(0x82), arrayOf(4093), Buffer.of(0x81, 0x00)]))).toHaveLength(2);
    expect(refusalOf(Buffer.concat([Buffer.of(0x82), arrayOf(4094), Buffer.of(0x81, 0x00)]))).toBe("too-many-elements");
  });

  test("4096 map pairs are accepted, one more is not", () => {
    expect(decodeCbor(mapOf(4096))).toHaveProperty("size", 4096);
    expect(refusalOf(mapOf(4097))).toBe("too-many-pairs");
  });

  test("the pairs of all maps count together", () => {
    expect(decodeCbor(twoMaps(4094))).toHaveProperty("size", 2);
    expect(refusalOf(twoMaps(4095))).toBe("too-many-pairs");
  });

  test.each([0x80, 0xa0])("sibling items do not add depth: %d", (empty) => {
    expect(decodeCbor(Buffer.concat([Buffer.of(0x98, 40), Buffer.alloc(40, empty)]))).toHaveLength(40);
  });

  test.each(["99100000", "b9100000", "a26000"])(
    "a declared length beyond the body is rejected at its head: %s",
    (hex) => {
      expect(() => decodeCbor(Buffer.from(hex, "hex"))).toThrow(new CborError("truncated", 0));
    },
  );

  test("a depth of 100,000 is rejected like one of 33", () => {
    expect(refusalOf(Buffer.alloc(100_000, 0x81))).toBe("too-deep");
  });
});

describe("for any bytes", () => {
  test("well-formed CBOR is decoded like the oracle's, with heads of any width", () => {
    fc.assert(
      fc.property(wellFormedCbor, ({ value, bytes }) => {
        expect(decodeCbor(bytes)).toEqual(asViews(value));
        expect(askOracle(bytes)).toEqual({ taken: value });
      }),
    );
  });

  test("the result is a value or a CborError, and agrees with the oracle on common rules", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.tuple(wellFormedCbor, fc.nat(), fc.nat(255)).map(([item, at, byte]) => {
        const changed = Buffer.from(item.bytes);
        changed[at % changed.length] = byte;
        return changed;
      }),
      fc.tuple(wellFormedCbor, fc.nat()).map(([item, at]) => item.bytes.subarray(0, at % item.bytes.length)),
    );
    fc.assert(
      fc.property(bytes, (array) => {
        try {
          decodeCbor(Buffer.from(array));
        } catch (error) {
          if (!(error instanceof CborError)) throw error;
          if (isCommonRule(error.reason)) expect(askOracle(array)).toHaveProperty("refused");
          return;
        }
        expect(askOracle(array)).toHaveProperty("taken");
      }),
      { numRuns: 2000 },
    );
  });

  test("every prefix of a body is truncated", () => {
    fc.assert(
      fc.property(wellFormedCbor, ({ bytes }) => {
        for (let end = 0; end < bytes.length; end += 1) expect(refusalOf(bytes.subarray(0, end))).toBe("truncated");
      }),
    );
  });

  test("the offset of an error is inside the body", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (array) => {
        try {
          decodeCbor(Buffer.from(array));
        } catch (error) {
          expect(error instanceof CborError && error.offset >= 0 && error.offset <= array.length).toBe(true);
        }
      }),
    );
  });

  test.each<[string, Buffer]>([
    ["one text", encodeCbor("ä".repeat(524_280))],
    ["bytes that begin arrays", Buffer.alloc(cborLimits.maxBytes, 0x81)],
    ["bytes that are empty arrays", Buffer.alloc(cborLimits.maxBytes, 0x80)],
    ["many keys", mapOf(4096)],
  ])("1 MiB of %s takes little CPU time", (_what, bytes) => {
    const before = process.cpuUsage();
    try {
      decodeCbor(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(CborError);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});
