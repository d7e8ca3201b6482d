import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { expect, test } from "vitest";
import type { Backend } from "./backend.ts";
import { createAccountShares } from "./verify-in-backends.ts";

const digest = createKeyedDigest(createSecretKey(Buffer.from("a key of the test")));

function named(name: string): Backend {
  return {
    kind: "test",
    name,
    verify: async () => ({ kind: "unknown_user" }),
    lookup: async () => ({ kind: "unknown_user" }),
    listAccounts: async () => ({ kind: "not_served" }),
    endListing: () => undefined,
    spendVerification: async () => undefined,
    check: async () => undefined,
    close: async () => undefined,
  };
}

const [first, second, third] = [named("first"), named("second"), named("third")];
const names = Array.from({ length: 4000 }, (_, index) => `nobody-${index}`);

test("until an account is found, the first backend is chosen for every name", () => {
  const shares = createAccountShares(digest);
  expect(names.every((name) => shares.choose(name, [first, second]) === first)).toBe(true);
});

test("names are assigned to backends in proportion to their accounts, and each name to the same backend, whatever its case", () => {
  const shares = createAccountShares(digest);
  for (let index = 0; index < 400; index += 1) shares.found(`account-${index}`, index % 4 === 0 ? first : second);
  const ofFirst = names.filter((name) => shares.choose(name, [first, second]) === first);
  // The shares in use may differ from the learned ones by a twentieth; the rest is three standard deviations of 4,000 draws.
  expect(Math.abs(ofFirst.length / names.length - 0.25)).toBeLessThan(0.07);
  expect(ofFirst.every((name) => shares.choose(name.toUpperCase(), [first, second]) === first)).toBe(true);
});

test("a backend that was not queried is never chosen, however many accounts it has", () => {
  const shares = createAccountShares(digest);
  for (let index = 0; index < 100; index += 1) shares.found(`account-${index}`, index % 2 === 0 ? second : third);
  expect(names.every((name) => shares.choose(name, [first, second]) === second)).toBe(true);
  expect(names.every((name) => shares.choose(name, [first]) === first)).toBe(true);
});

test("a backend keeps its share after a reload, by its name", () => {
  const shares = createAccountShares(digest);
  for (let index = 0; index < 100; index += 1) shares.found(`account-${index}`, second);
  const [newFirst, newSecond] = [named("first"), named("second")];
  expect(names.every((name) => shares.choose(name, [newFirst, newSecond]) === newSecond)).toBe(true);
});
