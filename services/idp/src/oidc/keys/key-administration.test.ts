import { expect, test } from "vitest";
import { listKeys } from "./key-administration.ts";
import { createSigningKey, isFull, keyKinds, kindsToRotate, type SigningKey, signingOrder } from "./signing-keys.ts";

const hour = 3_600_000;
const rules = {
  kinds: keyKinds,
  isRotated: false,
  intervalMs: 168 * hour,
  publishMs: hour,
  maxAgeMs: 0,
  longestTokenMs: hour,
};

test("a configured key signs for its algorithm only, and a new key is listed with the time from which it signs", async () => {
  const [old, next, ec] = await Promise.all([
    createSigningKey("rsa", 0),
    createSigningKey("rsa", 2 * hour),
    createSigningKey("ec", 0),
  ]);
  const configured = { kty: "RSA", kid: "ours", alg: "RS256", n: "x", e: "AQAB" };
  const retired = { kty: "EC", kid: "retired", crv: "P-256", x: "x", y: "y" };
  const nowMs = 2 * hour + 1;
  const listed = listKeys({
    generated: signingOrder([old, next, ec], rules, nowMs),
    signing: [configured],
    verifying: [retired],
    publishMs: hour,
    nowMs,
  });
  expect(Object.fromEntries(listed.map(({ kid, signs }) => [kid, signs]))).toEqual({
    ours: ["RS256"],
    [old.kid]: ["PS256"],
    [next.kid]: [],
    [ec.kid]: ["ES256"],
    retired: [],
  });
  expect(listed.find(({ kid }) => kid === next.kid)?.signs_from).toBe(new Date(3 * hour).toISOString());
  expect(listed.filter(({ signs_from }) => signs_from !== undefined)).toHaveLength(1);
  expect(JSON.stringify(listed)).not.toContain(old.jwk["d"]);
});

function key(kind: SigningKey["kind"], createdAtMs: number): SigningKey {
  return { kind, kid: `${kind}-${createdAtMs}`, jwk: { kty: "RSA", kid: "a" }, createdAtMs };
}

test("a rotation replaces keys without a waiting successor, whether or not keys rotate by themselves", () => {
  const keys = [key("rsa", 0), key("ec", 0), key("ec", 2 * hour)];
  expect(kindsToRotate(keys, rules, 2 * hour)).toEqual(["rsa", "ed25519"]);
  expect(kindsToRotate(keys, rules, 3 * hour)).toEqual(["rsa", "ec", "ed25519"]);
  expect(isFull(Array.from({ length: 15 }, (_, index) => key("rsa", index)))).toBe(false);
  expect(isFull(Array.from({ length: 16 }, (_, index) => key("rsa", index)))).toBe(true);
});
