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

test("the key says which algorithms may be used with it, and `alg` may narrow them", () => {
  expect(algorithms(jwk(rsa), jwk(p256), jwk(ed))).toEqual([["RS256", "PS256"], ["ES256"], ["EdDSA"]]);
  expect(algorithms(jwk(rsa, { alg: "PS256" }))).toEqual([["PS256"]]);
});

test.each([
  ["for encryption", jwk(rsa, { use: "enc" })],
  ["that only signs", jwk(rsa, { key_ops: ["sign"] })],
  ["of 1024 bits", jwk(weak)],
  ["of another curve", jwk(p384)],
  ["that cannot sign", jwk(x)],
  ["with an algorithm that is not its own", jwk(p256, { alg: "RS256" })],
  ["with the algorithm none", jwk(rsa, { alg: "none" })],
  ["that is a shared secret", { kty: "oct", k: "c2VjcmV0" }],
  ["that is broken", { kty: "RSA", n: "!", e: "AQAB" }],
  ["that is no object", "key"],
])("a key %s is left out, and the others stay", (_what, key) => {
  expect(kidsOf(key)).toEqual(["good"]);
});

test.each([
  ["no object", null],
  ["no list", { keys: {} }],
  ["an empty list", { keys: [] }],
  ["no key of use", { keys: [jwk(p384)] }],
  ["more keys than a client needs", { keys: Array.from({ length: 33 }, () => good) }],
])("%s is no key set", (_what, value) => {
  expect(() => readClientKeys(value)).toThrow(TypeError);
});

test("whatever a client publishes, it is keys or a TypeError", () => {
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.record({ keys: fc.array(fc.object()) })), (value) => {
      expect(() => readClientKeys(value)).toThrow(TypeError);
    }),
  );
});

test("a kid selects its key; keys without one fit any kid, unless the kid is named", () => {
  const keys = readClientKeys({ keys: [jwk(rsa, { kid: "a" }), jwk(rsa, { kid: "b" }), jwk(rsa), jwk(p256)] });
  const found = (alg: string, kid?: string) => fittingKeys(keys, { alg, kid }).map((key) => key.kid);
  expect(found("RS256", "a")).toEqual(["a"]);
  expect(found("RS256", "unknown")).toEqual([undefined]);
  expect(found("RS256")).toEqual(["a", "b", undefined]);
  expect(found("ES256", "a")).toEqual([undefined]);
  expect(found("EdDSA")).toEqual([]);
  expect(found("none")).toEqual([]);
});
