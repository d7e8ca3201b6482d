import { hash, type KeyObject, sign } from "node:crypto";
import { c14n, ns } from "../protocol/names.ts";
import { element, type Xml, type XmlAttributes, xmlOf, xmlString } from "./xml-writer.ts";

export const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256";

export interface Signer {
  readonly key: KeyObject;
  /** Base64 of the DER, for KeyInfo. */
  readonly certificate: string;
}

function signedInfo(id: string, digest: string, attributes: XmlAttributes): Xml {
  const reference = element(
    "ds:Reference",
    { URI: `#${id}` },
    element(
      "ds:Transforms",
      {},
      element("ds:Transform", { Algorithm: c14n.enveloped }),
      element("ds:Transform", { Algorithm: c14n.exclusive }),
    ),
    element("ds:DigestMethod", { Algorithm: "http://www.w3.org/2001/04/xmlenc#sha256" }),
    element("ds:DigestValue", {}, digest),
  );
  return element(
    "ds:SignedInfo",
    attributes,
    element("ds:CanonicalizationMethod", { Algorithm: c14n.exclusive }),
    element("ds:SignatureMethod", { Algorithm: rsaSha256 }),
    reference,
  );
}

export function keyInfo(certificate: string, attributes: XmlAttributes = {}): Xml {
  return element("ds:KeyInfo", attributes, element("ds:X509Data", {}, element("ds:X509Certificate", {}, certificate)));
}

function signatureOf(unsigned: string, id: string, { key, certificate }: Signer): Xml {
  const digest = hash("sha256", unsigned, "base64");
  const canonical = xmlString(signedInfo(id, digest, { "xmlns:ds": ns.signature }));
  const value = sign("sha256", Buffer.from(canonical, "utf8"), key).toString("base64");
  return element(
    "ds:Signature",
    { "xmlns:ds": ns.signature },
    signedInfo(id, digest, {}),
    element("ds:SignatureValue", {}, value),
    keyInfo(certificate),
  );
}

export interface Signable {
  readonly name: string;
  readonly id: string;
  readonly attributes: XmlAttributes;
  /** What precedes the signature: the issuer, if the schema has one. */
  readonly issuer: Xml | undefined;
  readonly content: Xml;
}

/** The element with an enveloped signature where the SAML schemas require it: after the issuer, or else first. */
export function signedElement({ name, id, attributes, issuer, content }: Signable, signer: Signer): Xml {
  const all = { ...attributes, ID: id };
  const unsigned = xmlString(element(name, all, issuer, content));
  return element(name, all, issuer, signatureOf(unsigned, id, signer), content);
}

export function unsignedElement({ name, id, attributes, issuer, content }: Signable): Xml {
  return element(name, { ...attributes, ID: id }, xmlOf(issuer, content));
}
