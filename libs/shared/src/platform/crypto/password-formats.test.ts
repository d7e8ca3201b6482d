import { parseOptions } from "@node-rs/argon2";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseArgon2 } from "./password-formats.ts";

/** What the library reads; undefined for what it refuses. */
function optionsOf(text: string) {
  try {
    const { algorithm, version, memoryCost, timeCost, parallelism } = parseOptions(text);
    return { algorithm, version, memoryCost, timeCost, parallelism };
  } catch {
    return undefined;
  }
}

const kinds = [
  "argon2id$v=19",
  "argon2id$v=16",
  "argon2id",
  "argon2i$v=19",
  "argon2i$v=16",
  "argon2i",
  "argon2id$v=20",
];
const costs = ["m=19456,t=2,p=1", "m=65536,t=3,p=4", "m=8,t=1,p=1", "m=09,t=1,p=1", "m=2040,t=1,p=255"];
const digests = ["A".repeat(43), `${"A".repeat(42)}B`, "A".repeat(86), "A".repeat(22)];
const stored = kinds.flatMap((kind) =>
  costs.flatMap((cost) => digests.map((digest) => `$${kind}$${cost}$${"A".repeat(22)}$${digest}`)),
);

test("Argon2 is parsed as by the library that verifies it", () => {
  expect(stored.map((text) => parseArgon2(text)?.parameters)).toEqual(stored.map(optionsOf));
  expect(stored.filter((text) => parseArgon2(text) !== undefined).length).toBeGreaterThan(40);
});

test("the library reads whatever is parsed of a damaged text", () => {
  const damaged = fc
    .tuple(fc.constantFrom(...stored), fc.nat({ max: 110 }), fc.string({ maxLength: 2 }))
    .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at + 1));
  fc.assert(
    fc.property(damaged, (text) => {
      const parsed = parseArgon2(text);
      if (parsed !== undefined) expect(parsed.parameters).toEqual(optionsOf(text));
    }),
    { numRuns: 3000 },
  );
});
