import { expect, test } from "vitest";
import {
  activeKey,
  keyKinds,
  kindsFor,
  kindsToMake,
  lookEveryMs,
  parseSigningKeys,
  type SigningKey,
  signingOrder,
  withoutRetired,
} from "./signing-keys.ts";

const hour = 3_600_000;
const rules = {
  kinds: keyKinds,
  isRotated: true,
  intervalMs: 168 * hour,
  publishMs: hour,
  maxAgeMs: 0,
  longestTokenMs: 24 * hour,
};

function key(kid: string, createdAtMs: number): SigningKey {
  return { kind: "rsa", kid, jwk: { kty: "RSA", kid }, createdAtMs };
}

test("a new key is published before it is used to sign, and the first key signs immediately", () => {
  const first = key("first", 0);
  expect(activeKey([first], "rsa", rules, 1)).toBe(first);
  const second = key("second", 168 * hour);
  expect(activeKey([first, second], "rsa", rules, 168 * hour + hour - 1)).toBe(first);
  expect(activeKey([first, second], "rsa", rules, 169 * hour)).toBe(second);
  expect(signingOrder([first, second], rules, 168 * hour).map(({ kid }) => kid)).toEqual(["first", "second"]);
  expect(signingOrder([first, second], rules, 169 * hour).map(({ kid }) => kid)).toEqual(["second", "first"]);
});

test("missing and old keys are replaced; without rotation, only missing keys are created", () => {
  expect(kindsToMake([], rules, 0)).toEqual(["rsa", "ec", "ed25519"]);
  expect(kindsToMake([key("a", 0)], rules, 168 * hour)).toContain("rsa");
  expect(kindsToMake([key("a", 0)], rules, 168 * hour - 1)).not.toContain("rsa");
  expect(kindsToMake([key("a", 0)], { ...rules, isRotated: false }, 1000 * hour)).not.toContain("rsa");
});

test("keys of a kind that no algorithm needs are neither created nor published, and remain stored", () => {
  expect(kindsFor(["RS256", "PS256", "ES256"])).toEqual(["rsa", "ec"]);
  expect(kindsFor(["RS256", "EdDSA"])).toEqual(["rsa", "ed25519"]);
  const without = { ...rules, kinds: kindsFor(["RS256"]) };
  expect(kindsToMake([], without, 0)).toEqual(["rsa"]);
  const other: SigningKey = { ...key("other", 0), kind: "ed25519" };
  expect(signingOrder([other, key("first", 0)], without, hour).map(({ kid }) => kid)).toEqual(["first"]);
  expect(withoutRetired([other, key("first", 0)], without, 1000 * hour)).toContain(other);
});

test("a key is kept until the last token that it signed has expired", () => {
  const keys = [key("first", 0), key("second", 168 * hour)];
  const lastSignatureMs = 169 * hour + lookEveryMs(rules);
  expect(withoutRetired(keys, rules, lastSignatureMs + 24 * hour - 1)).toHaveLength(2);
  expect(withoutRetired(keys, rules, lastSignatureMs + 24 * hour).map(({ kid }) => kid)).toEqual(["second"]);
  expect(withoutRetired(keys, { ...rules, maxAgeMs: 1000 * hour }, 999 * hour)).toHaveLength(2);
});

test("a stored value that is not a key is ignored", () => {
  const good = key("good", 5);
  expect(parseSigningKeys(JSON.stringify([good, {}, null, { ...good, kind: "x" }, { ...good, jwk: {} }]))).toEqual([
    good,
  ]);
  expect(parseSigningKeys("{}")).toEqual([]);
});
