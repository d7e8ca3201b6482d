import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SamlRefusal } from "../protocol/refusal.ts";
import { authnRequest, enveloped, keys, logoutRequest, redirected, sp } from "../testing/forge.ts";
import { outcomeOf } from "../testing/outcome.ts";
import { forgeryOf } from "../testing/tricks.ts";
import { messageLimits } from "./limits.ts";
import { readRedirectQuery } from "./redirect-query.ts";
import { decodePosted, decodeRedirected, readEnveloped } from "./verify-message.ts";
import { parseXml } from "./xml-tree.ts";

const honest = [
  { binding: "post", message: enveloped(logoutRequest()) },
  { binding: "post", message: enveloped(authnRequest()) },
  { binding: "redirect", message: redirected(logoutRequest()) },
] as const;

/** Seeds that once revealed a fault, or that cover each kind of forgery; never removed. */
const keptSeeds = [1, 7, 42, 99, 1234, 4711, 65_537, 900_001];

describe("messages of service providers", () => {
  it("are read if they are signed correctly", () => {
    const [logout, authn, query] = honest.map(outcomeOf);
    expect(logout).toContain('"nameId":"alice","sessionIndexes":["_s1"]');
    expect(authn).toContain('"acsUrl":"https://sp.example.test/acs"');
    expect(query).toContain('"relayState":"state 1"');
  });

  it("are rejected if they are forged", () => {
    const accepted = new Set(honest.map(outcomeOf));
    const seeds = [...keptSeeds, ...Array.from({ length: 1500 }, (_, index) => index)];
    const outcomes = seeds.map((seed) => ({ seed, outcome: outcomeOf(forgeryOf(seed)) }));
    expect(outcomes.filter(({ outcome }) => outcome.startsWith("accepted") && !accepted.has(outcome))).toEqual([]);
    const reasons = new Set(outcomes.map(({ outcome }) => outcome));
    for (const reason of ["signature_wrong", "signature_shape", "forbidden_xml", "algorithm", "structure"]) {
      expect(reasons).toContain(`refused ${reason}`);
    }
  });

  it("are verified only with configured keys", () => {
    const foreign = enveloped(logoutRequest(), keys.stranger.privateKey);
    expect(outcomeOf({ binding: "post", message: foreign })).toBe("refused signature_wrong");
    const sender = { keys: [], mayOmitSignature: () => true };
    const deps = { findSender: () => sender, names: ["LogoutRequest"] } as const;
    expect(() => readEnveloped(foreign, undefined, deps)).toThrow("no certificate is configured");
  });

  it("may be unsigned only if that is configured", () => {
    expect(outcomeOf({ binding: "post", message: authnRequest() })).toBe("refused signature_missing");
    const sender = { keys: [], mayOmitSignature: () => true };
    const deps = {
      findSender: (issuer: string) => (issuer === sp ? sender : undefined),
      names: ["AuthnRequest"],
    } as const;
    expect(readEnveloped(authnRequest(), undefined, deps)).toMatchObject({ isSigned: false, name: "AuthnRequest" });
  });

  it("are rejected above each size limit", () => {
    const bomb = deflateRawSync(Buffer.alloc(messageLimits.documentBytes + 1, "a")).toString("base64");
    expect(() => decodeRedirected(bomb)).toThrow("inflates beyond");
    expect(() => decodePosted("AAAA".repeat(messageLimits.encodedLength))).toThrow("encoded message");
    expect(() => decodePosted("a$==")).toThrow("Base64");
    expect(() => decodePosted(Buffer.from([0xff, 0xfe]).toString("base64"))).toThrow("UTF-8");
    expect(() => parseXml("<a>".repeat(70))).toThrow("too deep");
    expect(() => parseXml(`<a>${"<b/>".repeat(messageLimits.nodes)}</a>`)).toThrow("too many nodes");
    const long = "x".repeat(messageLimits.relayStateBytes + 1);
    expect(() => readRedirectQuery(`SAMLRequest=a&RelayState=${long}`)).toThrow("RelayState");
  });

  it.each([
    "<!DOCTYPE a><a/>",
    "<?x y?><a/>",
    "<a>b<!-- c -->d</a>",
    "<a><![CDATA[b]]></a>",
    "<a>&b;</a>",
    "<a/><b/>",
    "<a>",
  ])("are rejected as XML: %s", (xml) => {
    expect(() => parseXml(xml)).toThrow(SamlRefusal);
  });

  it("must not repeat an ID, whatever the case of the attribute name", () => {
    expect(() => parseXml('<a ID="x"><b Id="x"/></a>')).toThrow("an ID occurs twice");
  });
});
