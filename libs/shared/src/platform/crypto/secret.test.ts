import { inspect } from "node:util";
import { expect, test } from "vitest";
import { digestOf, matchesDigest } from "./constant-time.ts";
import { Secret } from "./secret.ts";

test("a Secret prints as a mask in every context", () => {
  const secret = new Secret("canary-5f1d");
  const printed = [`${secret}`, JSON.stringify({ secret }), inspect({ deep: [secret] }), String(secret)].join("\n");
  expect(printed).not.toContain("canary");
  expect(secret.reveal()).toBe("canary-5f1d");
});

test("a digest matches only its own text, of any length", () => {
  const digest = digestOf("backchannel:secret");
  expect(matchesDigest("backchannel:secret", digest)).toBe(true);
  for (const other of ["", "backchannel:secre", "backchannel:secret ", "x".repeat(10_000)]) {
    expect(matchesDigest(other, digest)).toBe(false);
  }
});
