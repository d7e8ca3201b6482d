import { CborError, decodeCbor } from "@postern/shared/platform/cbor";
import { askOracle, isCommonRule, readCborCorpus, wellFormedCbor } from "@postern/shared/platform/cbor/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const mutations = 100_000;

const seeds = ["rfc8949-appendix-a", "taken", "refused", "requests"].flatMap((name) => readCborCorpus(name));

type Change = (bytes: Buffer, at: number) => Buffer;

const insert = (bytes: Buffer, at: number, inserted: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);

/** One change of the bytes at a position. */
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.nat(255).map<Change>((byte) => (bytes, at) => set(bytes, at, byte)),
  fc.nat(7).map<Change>((bit) => (bytes, at) => set(bytes, at, (bytes[at] ?? 0) ^ (1 << bit))),
  fc
    .uint8Array({ minLength: 1, maxLength: 9 })
    .map<Change>((inserted) => (bytes, at) => insert(bytes, at, Buffer.from(inserted))),
  fc.nat(9).map<Change>((count) => (bytes, at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + count)])),
  fc.constant<Change>((bytes, at) => bytes.subarray(0, at)),
  fc.nat(20).map<Change>((count) => (bytes, at) => insert(bytes, at, bytes.subarray(at, at + count))),
  // Inserts heads of every major type and width, including lengths, tags and breaks.
  fc.tuple(fc.nat(7), fc.integer({ min: 24, max: 31 })).map<Change>(
    ([kind, info]) =>
      (bytes, at) =>
        insert(bytes, at, Buffer.of((kind << 5) | info)),
  ),
  fc
    .constantFrom(0x81, 0x9f, 0xa1, 0xbf, 0xc0, 0xff)
    .chain((byte) =>
      fc
        .integer({ min: 1, max: 40 })
        .map<Change>((count) => (bytes, at) => insert(bytes, at, Buffer.alloc(count, byte))),
    ),
);

function set(bytes: Buffer, at: number, byte: number): Buffer {
  const changed = Buffer.from(bytes);
  if (at < changed.length) changed[at] = byte;
  return changed;
}

const mutated = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...seeds).map(({ bytes }) => bytes),
      wellFormedCbor.map(({ bytes }) => bytes),
    ),
    fc.array(fc.tuple(changes, fc.nat()), { minLength: 1, maxLength: 3 }),
  )
  .map(([bytes, list]) =>
    list.reduce((now, [change, at]) => change(now, now.length === 0 ? 0 : at % now.length), bytes),
  );

test(`${mutations} mutations decode to the oracle's value or are rejected with a CborError`, () => {
  const count = { accepted: 0, rejected: 0 };
  fc.assert(
    fc.property(mutated, (bytes) => {
      let value: unknown;
      try {
        value = decodeCbor(bytes);
      } catch (error) {
        if (!(error instanceof CborError)) throw error;
        count.rejected += 1;
        if (isCommonRule(error.reason)) expect(askOracle(bytes)).toHaveProperty("refused");
        return;
      }
      count.accepted += 1;
      const oracle = askOracle(bytes);
      expect("taken" in oracle && comparable(oracle.taken)).toEqual(comparable(value));
    }),
    { numRuns: mutations },
  );
  expect(count.accepted).toBeGreaterThan(mutations / 100);
  expect(count.rejected).toBeGreaterThan(mutations / 10);
});

/** The oracle returns plain byte arrays instead of Buffers, and removes the byte order mark of a text. */
function comparable(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^\ufeff/, "");
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof Map) return new Map([...value].map(([key, inner]) => [comparable(key), comparable(inner)]));
  return Array.isArray(value) ? value.map(comparable) : value;
}

function* everyChangedByte(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1) {
    for (let byte = 0; byte < 256; byte += 1) yield set(bytes, at, byte);
  }
}

function isHandled(bytes: Buffer): boolean {
  try {
    decodeCbor(bytes);
    return true;
  } catch (error) {
    return error instanceof CborError;
  }
}

test("a request with one changed byte is decoded or rejected with a CborError", () => {
  const unhandled = readCborCorpus("requests")
    .flatMap(({ bytes }) => [...everyChangedByte(bytes)])
    .filter((bytes) => !isHandled(bytes));
  expect(unhandled).toEqual([]);
});
