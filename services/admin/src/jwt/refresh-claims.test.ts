import fc from "fast-check";
import { expect, test } from "vitest";
import { readRefreshClaims } from "./token-pair.ts";

const audience = "service:jwt-refresh";
const claims = { sub: "operator", source: "configuration", family: "family-1", jti: "token_1", epoch: 3 };
const payload = { ...claims, aud: audience, token_use: "refresh", iss: "service:jwt", exp: 4_102_444_800 };

test("only the claims that a refresh needs are read", () => {
  expect(readRefreshClaims(payload, audience)).toEqual(claims);
});

test.each([
  ["of another audience", { aud: "service:backchannel" }],
  ["for several audiences", { aud: [audience] }],
  ["for access", { token_use: "access" }],
  ["of an unknown source", { source: "elsewhere" }],
  ["with an empty family", { family: "" }],
  ["with a family that is part of another Redis key", { family: "a}:epoch:{b" }],
  ["with an identifier that is too long", { jti: "x".repeat(65) }],
  ["with an epoch that is a string", { epoch: "3" }],
])("a token %s is rejected", (_what, change) => {
  expect(readRefreshClaims({ ...payload, ...change }, audience)).toBeUndefined();
});

test.each(Object.keys({ ...claims, aud: "", token_use: "" }))("a token without %s is rejected", (name) => {
  const { [name]: _left, ...rest }: Readonly<Record<string, unknown>> = payload;
  expect(readRefreshClaims(rest, audience)).toBeUndefined();
});

test("for any members, accepted claims can be used in Redis keys", () => {
  const value = fc.oneof(fc.anything(), fc.constantFrom("a", "b:c", "directory", 1));
  fc.assert(
    fc.property(fc.record({ sub: value, source: value, family: value, jti: value, epoch: value }), (members) => {
      const read = readRefreshClaims({ ...payload, ...members }, audience);
      if (read === undefined) return;
      expect(`${read.family}${read.jti}`).toMatch(/^[\w-]+$/u);
      expect(["configuration", "directory"]).toContain(read.source);
      expect([typeof read.sub, typeof read.epoch]).toEqual(["string", "number"]);
    }),
  );
});
