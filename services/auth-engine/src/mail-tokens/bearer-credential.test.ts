import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type TokenMechanism, tokenMechanism } from "../pipeline/attempt.ts";
import { readBearerCredential } from "./check-mail-token.ts";

const token = fc.stringMatching(/^[A-Za-z0-9._~+/-]{1,60}={0,2}$/);
const mechanism = fc.constantFrom<TokenMechanism>("oauthbearer", "xoauth2");
const user = fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).filter((name) => !name.includes("\x01"));
const escaped = (name: string): string => name.replaceAll("=", "=3D").replaceAll(",", "=2C");

describe("the password field of a login by token", () => {
  test("a bare token is returned unchanged with either mechanism", () => {
    fc.assert(
      fc.property(token, mechanism, (text, name) => {
        expect(readBearerCredential(text, name)).toEqual({ token: text, username: undefined });
      }),
    );
  });

  test("user and token of an OAUTHBEARER message are returned (RFC 7628 §3.1)", () => {
    fc.assert(
      fc.property(token, user, (text, username) => {
        const message = `n,a=${escaped(username)},\x01host=mail.example.test\x01port=993\x01auth=Bearer ${text}\x01\x01`;
        expect(readBearerCredential(message, "oauthbearer")).toEqual({ token: text, username });
        expect(readBearerCredential(message, "xoauth2")).toBeUndefined();
      }),
    );
  });

  test("user and token of an XOAUTH2 message are returned", () => {
    fc.assert(
      fc.property(token, user, (text, username) => {
        const message = `user=${username}\x01auth=Bearer ${text}\x01\x01`;
        expect(readBearerCredential(message, "xoauth2")).toEqual({ token: text, username });
        expect(readBearerCredential(message, "oauthbearer")).toBeUndefined();
      }),
    );
  });

  test("the result for any text is undefined or a token that the text contains", () => {
    const piece = fc.constantFrom(
      "n,",
      "y,",
      "a=",
      "user=",
      "auth=",
      "Bearer ",
      "\x01",
      "\x01\x01",
      ",",
      "tok.en",
      "=2C",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece, { maxLength: 12 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, mechanism, (input, name) => {
        const read = readBearerCredential(input, name);
        if (read === undefined) return;
        expect(input).toContain(read.token);
        expect(read.token).toMatch(/^[A-Za-z0-9._~+/-]+=*$/);
        expect(read.token === input || input.endsWith(`${read.token}\x01\x01`) || input.includes("\x01")).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["no user", "n,,\x01auth=Bearer t\x01\x01", { token: "t", username: undefined }],
    ["the scheme in another case", "y,a=al,\x01auth=bEARER t\x01\x01", { token: "t", username: "al" }],
    ["channel binding", "p=tls-unique,,\x01auth=Bearer t\x01\x01", undefined],
    ["an empty user", "n,a=,\x01auth=Bearer t\x01\x01", undefined],
    ["a bare equals sign in the user", "n,a=a=b,\x01auth=Bearer t\x01\x01", undefined],
    ["no token", "n,a=al,\x01host=h\x01\x01", undefined],
    ["two tokens", "n,a=al,\x01auth=Bearer t\x01auth=Bearer u\x01\x01", undefined],
    ["another scheme", "n,a=al,\x01auth=Basic t\x01\x01", undefined],
    ["a token bound to a key, for which SASL has no proof", "n,a=al,\x01auth=DPoP t\x01\x01", undefined],
    ["one separator at the end", "n,a=al,\x01auth=Bearer t\x01", undefined],
    ["text after the end", "n,a=al,\x01auth=Bearer t\x01\x01x", undefined],
    ["three separators at the end", "n,a=al,\x01auth=Bearer t\x01\x01\x01", undefined],
    ["a password with a space", "correct horse", undefined],
    ["nothing", "", undefined],
  ])("OAUTHBEARER: %s", (_what, text, expected) => {
    expect(readBearerCredential(text, "oauthbearer")).toEqual(expected);
  });
});

test("the method selects the mechanism, whatever its case and surrounding spaces", () => {
  expect(["OAUTHBEARER", "XOAuth2", " xoauth2\t"].map(tokenMechanism)).toEqual(["oauthbearer", "xoauth2", "xoauth2"]);
  expect(["plain", "login", "", "oauth", undefined].map(tokenMechanism)).toEqual(Array(5).fill(undefined));
});
