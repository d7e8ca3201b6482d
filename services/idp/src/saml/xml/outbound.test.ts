import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { DOMParser } from "@xmldom/xmldom";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExclusiveCanonicalization } from "xml-crypto";
import { selfSignedCertificate } from "../keys/saml-keys.ts";
import { contextClassOf } from "../sso/judge-session.ts";
import { releasedAttributes } from "./attributes.ts";
import { signedElement } from "./sign-xml.ts";
import { hasSignature } from "./signature-shape.ts";
import { verifiedBytes } from "./verify-signature.ts";
import { parseXml } from "./xml-tree.ts";
import { element, xmlString } from "./xml-writer.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const nowMs = Date.parse("2026-05-01T12:00:00Z");
const password = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
const mfa = "https://refeds.org/profile/mfa";

describe("the XML writer", () => {
  it("writes any value in canonical form, and the value can be read again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (value, attribute) => {
        const xml = xmlString(element("a:b", { z: attribute, "xmlns:a": "urn:a", B: "1" }, element("a:c", {}, value)));
        const node = new DOMParser().parseFromString(xml, "text/xml").documentElement;
        expect(new ExclusiveCanonicalization().process(node, {})).toBe(xml);
        expect(parseXml(xml).attributes.get("z")).toBe(
          attribute.replaceAll(
            /[^\t\n\r\u0020-\u0084\u0086-\u2027\u2029-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu,
            "\ufffd",
          ),
        );
      }),
      {
        examples: [
          ["", "\u2028"],
          ["\u0085", "\r\u0085"],
        ],
      },
    );
  });

  it("creates signatures that another implementation verifies, with markup in values", async () => {
    const content = element("a:c", {}, '</a:c><a:c evil="&">');
    const signable = { name: "a:b", id: "_1", attributes: { "xmlns:a": "urn:a" }, issuer: undefined, content };
    const certificate = await selfSignedCertificate(privateKey, "test", nowMs);
    const xml = xmlString(signedElement(signable, { key: privateKey, certificate }));
    expect(hasSignature(parseXml(xml))).toBe(true);
    const [only, ...others] = parseXml(verifiedBytes(xml, [publicKey])).children;
    expect([only?.text, others]).toEqual(['</a:c><a:c evil="&">', []]);
  });
});

it("creates self-signed certificates for its keys", async () => {
  const pem = await selfSignedCertificate(privateKey, "https://idp.example.test/, O=x", nowMs);
  const certificate = new X509Certificate(pem);
  expect(certificate.verify(publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(privateKey)).toBe(true);
  expect(certificate.subject).toBe(String.raw`CN=https://idp.example.test/\, O=x`);
  expect(Date.parse(certificate.validFrom)).toBeLessThan(nowMs);
  expect(Date.parse(certificate.validTo)).toBeGreaterThan(nowMs);
});

describe("released attributes", () => {
  const user = { account: "alice@example.test", attributes: { mail: ["a@b.test", "c@d.test"], userPassword: ["x"] } };

  it("are empty by default, have all values of the listed attributes, and never contain a secret", () => {
    const provider = { allowed_attributes: [], attribute_preset: "none", attributes: [] } as const;
    expect(releasedAttributes(provider, user)).toEqual([]);
    const named = { ...provider, allowed_attributes: ["mail", "userPassword"] };
    expect(releasedAttributes(named, user)).toMatchObject([{ name: "mail", values: ["a@b.test", "c@d.test"] }]);
  });

  it("have the object identifiers of eduPerson with that preset", () => {
    const provider = {
      allowed_attributes: ["eduPersonPrincipalName"],
      attribute_preset: "eduperson",
      attributes: [],
    } as const;
    expect(releasedAttributes(provider, user)).toMatchObject([
      { name: "urn:oid:1.3.6.1.4.1.5923.1.1.1.6", values: ["alice@example.test"] },
    ]);
  });
});

it.each([
  [["pwd"], undefined, password],
  [["pwd", "otp", "mfa"], undefined, mfa],
  [["pwd"], { comparison: "exact", classes: [mfa] }, undefined],
  [["pwd", "mfa"], { comparison: "exact", classes: [password] }, password],
  [["pwd", "mfa"], { comparison: "minimum", classes: [password] }, mfa],
  [["pwd"], { comparison: "better", classes: [password] }, undefined],
  [["pwd", "mfa"], { comparison: "maximum", classes: [password] }, undefined],
  [["pwd"], { comparison: "exact", classes: ["urn:unknown"] }, undefined],
] as const)("the authentication context of %j for the request %j is %s", (amr, requested, expected) => {
  expect(contextClassOf(amr, requested)).toBe(expected);
});
