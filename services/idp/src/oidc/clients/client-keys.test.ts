import { generateKeyPairSync, type KeyObject } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { fittingKeys, readClientKeys } from "./client-keys.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
const p256 = generateKeyPairSync("ec", { namedCurve: "P-256" });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" });
const ed = generateKeyPairSync("ed25519");
const x = generateKeyPairSync("x25519");

const jwk = ({ publicKey }: { publicKey: KeyObject }, more: object = {}): object => ({
  ...publicKey.export({ format: "jwk" }),
  ...more,
});
const good = jwk(rsa, { kid: "good" });
const kidsOf = (...keys: readonly unknown[]) => readClientKeys({ keys: [good, ...keys] }).map(({ kid }) => kid);

const algorithms = (...keys: readonly object[]) => readClientKeys({ keys }).map((key) => key.algorithms);

test("the key type determines the permitted algorithms, and `alg` may restrict them", () => {
  expect(algorithms(jwk(rsa), jwk(p256), jwk(ed))).toEqual([["RS256", "PS256"], ["ES256"], ["EdDSA"]]);
  expect(algorithms(jwk(rsa, { alg: "PS256" }))).toEqual([["PS256"]]);
});

test.each([
  ["for encryption", jwk(rsa, { use: "enc" })],
  ["that only signs", jwk(rsa, { key_ops: ["sign"] })],
  ["of 1024 bits", jwk(weak)],
  ["of another curve", jwk(p384)],
  ["that cannot sign", jwk(x)],
  ["with an algorithm of another key type", jwk(p256, { alg: "RS256" })],
  ["with the algorithm none", jwk(rsa, { alg: "none" })],
  ["that is a shared secret", { kty: "oct", k: "c2VjcmV0" }],
  ["that is broken", { kty: "RSA", n: "!", e: "AQAB" }],
  ["that is not an object", "key"],
])("a key %s is ignored, and the others are used", (_what, key) => {
  expect(kidsOf(key)).toEqual(["good"]);
});

test.each([
  ["a value that is not an object", null],
  ["an object without a list of keys", { keys: {} }],
  ["a set without keys", { keys: [] }],
  ["a set without a usable key", { keys: [jwk(p384)] }],
  ["a set with too many keys", { keys: Array.from({ length: 33 }, () => good) }],
])("%s is rejected as a key set", (_what, value) => {
  expect(() => readClientKeys(value)).toThrow(TypeError);
});

test("any other value that a client publishes causes a TypeError", () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ keys: fc.array(fc.object()) })), (value) => {
      expect(() => readClientKeys(value)).toThrow(TypeError);
    }),
  );
});

test("a kid selects its key; keys without a kid are used for an unknown kid", () => {
  const keys = readClientKeys({ keys: [jwk(rsa, { kid: "a" }), jwk(rsa, { kid: "b" }), jwk(rsa), jwk(p256)] });
  const found = (alg: string, kid?: string) => fittingKeys(keys, { alg, kid }).map((key) => key.kid);
  expect(found("RS256", "a")).toEqual(["a"]);
  expect(found("RS256", "unknown")).toEqual([undefined]);
  expect(found("RS256")).toEqual(["a", "b", undefined]);
  expect(found("ES256", "a")).toEqual([undefined]);
  expect(found("EdDSA")).toEqual([]);
  expect(found("none")).toEqual([]);
});
