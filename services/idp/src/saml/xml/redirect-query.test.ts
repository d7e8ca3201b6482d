import fc from "fast-check";
import { expect, test } from "vitest";
import { SamlRefusal } from "../protocol/refusal.ts";
import { readRedirectQuery } from "./redirect-query.ts";

const refused = (query: string): unknown => {
  try {
    return readRedirectQuery(query);
  } catch (error) {
    return error instanceof SamlRefusal ? error.reason : error;
  }
};

test("the signed octets are kept unchanged, in the order that the binding defines", () => {
  const query = "x=1&Signature=c2ln%2B&SigAlg=urn%3Aalg&RelayState=a%20b&SAMLRequest=ab%2Bc";
  expect(readRedirectQuery(query)).toEqual({
    parameter: "SAMLRequest",
    message: "ab+c",
    relayState: "a b",
    signature: { algorithm: "urn:alg", value: "c2ln+", octets: "SAMLRequest=ab%2Bc&RelayState=a%20b&SigAlg=urn%3Aalg" },
  });
});

test("an empty RelayState counts as absent, but is part of the signed octets", () => {
  const { relayState, signature } = readRedirectQuery("SAMLResponse=a&RelayState=&SigAlg=s&Signature=v");
  expect([relayState, signature?.octets]).toEqual([undefined, "SAMLResponse=a&RelayState=&SigAlg=s"]);
});

test("a + in Base64 that was not percent-encoded is preserved", () => {
  expect(readRedirectQuery("SAMLRequest=a+b&SigAlg=s&Signature=c+d")).toMatchObject({
    message: "a+b",
    signature: { value: "c+d" },
  });
});

test.each([
  ["no message", "RelayState=x"],
  ["two messages", "SAMLRequest=a&SAMLResponse=b"],
  ["one message twice", "SAMLRequest=a&SAMLRequest=b"],
  ["two relay states", "SAMLRequest=a&RelayState=1&RelayState=2"],
  ["a percent-encoded name, which another parser would recognise", "SAMLRequest=a&%52elayState=x"],
  ["a signature without an algorithm", "SAMLRequest=a&Signature=v"],
  ["an algorithm without a signature", "SAMLRequest=a&SigAlg=s"],
  ["an invalid percent-encoding", "SAMLRequest=%zz"],
  ["another encoding", "SAMLRequest=a&SAMLEncoding=urn%3Aother"],
  ["a relay state that is too long", `SAMLRequest=a&RelayState=${"x".repeat(10_000)}`],
])("%s is rejected", (_what, query) => {
  expect(refused(query)).toBe("parameters");
});

test("SAMLEncoding may name the binding's own encoding", () => {
  const encoding = encodeURIComponent("urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE");
  expect(readRedirectQuery(`SAMLRequest=a&SAMLEncoding=${encoding}`).message).toBe("a");
});

test("any query results in one message or is rejected", () => {
  const name = fc.constantFrom("SAMLRequest", "SAMLResponse", "RelayState", "SigAlg", "Signature", "other", "%53igAlg");
  const value = fc.oneof(fc.string(), fc.string().map(encodeURIComponent));
  const query = fc.array(fc.tuple(name, value)).map((pairs) => pairs.map((pair) => pair.join("=")).join("&"));
  fc.assert(
    fc.property(fc.oneof(query, fc.string()), (text) => {
      const read = refused(text);
      if (typeof read === "string") expect(read).toBe("parameters");
      else expect(read).toMatchObject({ parameter: expect.stringMatching(/^SAMLRe(?:quest|sponse)$/u) });
    }),
  );
});
