import { readCborCorpus } from "@postern/shared/platform/cbor/testing";
import { describe, expect, test } from "vitest";
import { dialectParsers, isAccepted, type ParserName, readSeeds } from "../../../../test/support/dialect-parsers.ts";

const isParser = (name: string): name is ParserName => Object.hasOwn(dialectParsers, name);
const parsers = Object.keys(dialectParsers).filter(isParser);
const seeded = parsers.filter((name) => name !== "cbor");
const cborSeeds = ["taken", "refused", "requests"].flatMap((name) => readCborCorpus(name));

describe.each(seeded)("%s", (parser) => {
  test.each(readSeeds(parser))("$what: accepted is $taken", ({ bytes, taken }) => {
    expect(isAccepted(parser, bytes)).toBe(taken);
  });
});

test.each(parsers)("%s: a request or an error for the seeds of every parser", (parser) => {
  const seeds = [...seeded.flatMap((name) => readSeeds(name)), ...cborSeeds];
  const thrown = seeds.filter(({ bytes }) => {
    try {
      isAccepted(parser, bytes);
      return false;
    } catch {
      return true;
    }
  });
  expect(thrown.map(({ what }) => what)).toEqual([]);
});
