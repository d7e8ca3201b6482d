import { readCborCorpus } from "@postern/shared/platform/cbor/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { dialectParsers, isAccepted, type ParserName, readSeeds } from "../../support/dialect-parsers.ts";

const mutations = 100_000;
/** Fixed, so that every run is the same; part of the test name, so that a failure can be reproduced. */
const seed = 20_260_101;
const maxSeedBytes = 4096;

const isParser = (name: string): name is ParserName => Object.hasOwn(dialectParsers, name);
const parsers = Object.keys(dialectParsers).filter(isParser);

function seedsOf(parser: ParserName): readonly Buffer[] {
  const seeds = parser === "cbor" ? readCborCorpus("requests") : readSeeds(parser);
  return seeds.map(({ bytes }) => bytes.subarray(0, maxSeedBytes));
}

type Change = (bytes: Buffer, at: number) => Buffer;

const replace = (bytes: Buffer, at: number, count: number, by: Uint8Array): Buffer =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + count)]);

/** Text with a special meaning to at least one parser. */
const words = [
  ...'%&=+?;,:"\\{}[]()*/ \r\n\t\0'.split(""),
  "%00",
  "%0d%0a",
  "%ff",
  "%c3",
  "\\u0000",
  "\\ud800",
  "__proto__",
  "null",
  "-1",
  "1e999",
  "q=0",
  "mode=",
  "Auth-User: ",
  "\u00f6",
  "\ufeff",
].map((word) => Buffer.from(word));

const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.nat(255).map<Change>((byte) => (bytes, at) => replace(bytes, at, 1, Buffer.of(byte))),
  fc.constantFrom(...words).map<Change>((word) => (bytes, at) => replace(bytes, at, 0, word)),
  fc.uint8Array({ minLength: 1, maxLength: 9 }).map<Change>((some) => (bytes, at) => replace(bytes, at, 0, some)),
  fc.nat(9).map<Change>((count) => (bytes, at) => replace(bytes, at, count, Buffer.alloc(0))),
  fc.nat(40).map<Change>((count) => (bytes, at) => replace(bytes, at, 0, bytes.subarray(at, at + count))),
  fc.constant<Change>((bytes, at) => bytes.subarray(0, at)),
);

test.each(parsers)(
  `%s: ${mutations} mutations from seed ${seed} are accepted or rejected without other errors`,
  (parser) => {
    const count = { accepted: 0, rejected: 0 };
    const mutated = fc
      .tuple(fc.constantFrom(...seedsOf(parser)), fc.array(fc.tuple(changes, fc.nat()), { minLength: 1, maxLength: 3 }))
      .map(([bytes, list]) => list.reduce((now, [change, at]) => change(now, at % (now.length + 1)), bytes));
    fc.assert(
      fc.property(mutated, (bytes) => {
        count[isAccepted(parser, bytes) ? "accepted" : "rejected"] += 1;
      }),
      { numRuns: mutations, seed },
    );
    expect(count.accepted).toBeGreaterThan(mutations / 100);
    expect(count.rejected).toBeGreaterThan(mutations / 100);
  },
);
