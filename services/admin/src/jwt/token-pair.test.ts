import { Secret } from "@postern/shared/platform/crypto";
import fc from "fast-check";
import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import { pairsOf, testKey } from "./testing/pairs.ts";

const user = { name: "operator", source: "configuration", roles: ["security", "admin"] } as const;
const facts = { user, family: "family-1", refreshId: "refresh-1", epoch: 7 };

test("an access token contains the user, the user's roles and the site's callers, for its lifetime", async () => {
  const { pairs, startMs } = pairsOf({ accessSeconds: 60 });
  const { token, expires_at } = await pairs.issue(facts);
  const exp = startMs / 1000 + 60;
  expect(expires_at).toBe(exp);
  expect(decodeJwt(token)).toMatchObject({
    sub: "operator",
    iss: "site:jwt",
    aud: "site:backchannel",
    roles: ["security", "admin"],
    epoch: 7,
    exp,
  });
});

test("a refresh token identifies its user, family and epoch", async () => {
  const { pairs } = pairsOf();
  const { refresh_token } = await pairs.issue(facts);
  expect(pairs.readRefreshToken(refresh_token)).toEqual({
    sub: "operator",
    source: "configuration",
    family: "family-1",
    jti: "refresh-1",
    epoch: 7,
  });
});

test("an access token is not accepted as a refresh token", async () => {
  const { pairs } = pairsOf();
  expect(pairs.readRefreshToken((await pairs.issue(facts)).token)).toBeUndefined();
});

test("a refresh token expires after its lifetime and the permitted clock skew", async () => {
  const { pairs, clock } = pairsOf({ refreshSeconds: 600, skewSeconds: 30 });
  const { refresh_token } = await pairs.issue(facts);
  clock.ms += 629_000;
  expect(pairs.readRefreshToken(refresh_token)).toBeDefined();
  clock.ms += 2000;
  expect(pairs.readRefreshToken(refresh_token)).toBeUndefined();
});

test("a refresh token of another key or another site is rejected", async () => {
  const { refresh_token } = await pairsOf().pairs.issue(facts);
  expect(
    pairsOf({ key: testKey(new Secret("another-signing-key-of-32-characters")) }).pairs.readRefreshToken(refresh_token),
  ).toBeUndefined();
  expect(pairsOf({ identifier: "elsewhere" }).pairs.readRefreshToken(refresh_token)).toBeUndefined();
});

test("changed lifetimes apply to the next token pair", async () => {
  const { pairs, lives, startMs } = pairsOf({ accessSeconds: 60 });
  lives.accessSeconds = 5;
  expect((await pairs.issue(facts)).expires_at).toBe(startMs / 1000 + 5);
});

test("a refresh token with a changed character is rejected, and so is any other text", async () => {
  const { pairs } = pairsOf();
  const { refresh_token: token } = await pairs.issue(facts);
  expect(pairs.readRefreshToken(`${token}${"x".repeat(5000)}`)).toBeUndefined();
  // Decoders ignore some bits of the last character of the signature.
  const place = fc.nat({ max: token.length - 2 });
  fc.assert(
    fc.property(place, fc.constantFrom("A", "z", "_", "."), (index, character) => {
      fc.pre(token[index] !== character);
      const changed = `${token.slice(0, index)}${character}${token.slice(index + 1)}`;
      expect(pairs.readRefreshToken(changed)).toBeUndefined();
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(pairs.readRefreshToken(text)).toBeUndefined();
    }),
  );
});
