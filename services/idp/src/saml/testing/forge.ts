import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import { SignedXml } from "xml-crypto";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** The service provider's key pair, and an unknown one. */
export const keys = { privateKey, publicKey, stranger };

export const sp = "https://sp.example.test/metadata";
export const sso = "https://idp.example.test/saml/sso";
export const nowMs = Date.parse("2026-05-01T12:00:00Z");

const head = (id: string): string =>
  `ID="${id}" Version="2.0" IssueInstant="2026-05-01T12:00:00Z" Destination="${sso}"`;
const names = `xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"`;

export function authnRequest(id = "_a1"): string {
  return `<samlp:AuthnRequest ${names} ${head(id)} AssertionConsumerServiceURL="https://sp.example.test/acs"><saml:Issuer>${sp}</saml:Issuer><samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"/></samlp:AuthnRequest>`;
}

export function logoutRequest(id = "_l1", nameId = "alice"): string {
  return `<samlp:LogoutRequest ${names} ${head(id)}><saml:Issuer>${sp}</saml:Issuer><saml:NameID>${nameId}</saml:NameID><samlp:SessionIndex>_s1</samlp:SessionIndex></samlp:LogoutRequest>`;
}

/** The document with an enveloped signature of its root, beside the element that `xpath` finds. */
export function signed(xml: string, key: KeyObject, xpath: string, action: "after" | "prepend"): string {
  const signer = new SignedXml({
    privateKey: key.export({ type: "pkcs8", format: "pem" }),
    signatureAlgorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    canonicalizationAlgorithm: "http://www.w3.org/2001/10/xml-exc-c14n#",
  });
  signer.addReference({
    xpath: "/*",
    digestAlgorithm: "http://www.w3.org/2001/04/xmlenc#sha256",
    transforms: ["http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#"],
  });
  signer.computeSignature(xml, { prefix: "ds", location: { reference: xpath, action } });
  return signer.getSignedXml();
}

/** The message with an enveloped signature, as an honest service provider creates it. */
export function enveloped(xml: string, key: KeyObject = privateKey): string {
  return signed(xml, key, "//*[local-name(.)='Issuer']", "after");
}

/** A signed query of the Redirect binding. */
export function redirected(xml: string, key: KeyObject = privateKey): string {
  const message = encodeURIComponent(deflateRawSync(xml).toString("base64"));
  const algorithm = encodeURIComponent("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256");
  const octets = `SAMLRequest=${message}&RelayState=state%201&SigAlg=${algorithm}`;
  const signature = sign("sha256", Buffer.from(octets), key).toString("base64");
  return `${octets}&Signature=${encodeURIComponent(signature)}`;
}
