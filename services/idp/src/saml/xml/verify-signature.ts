import type { KeyObject } from "node:crypto";
import { DOMParser } from "@xmldom/xmldom";
import { ExclusiveCanonicalization, SignedXml } from "xml-crypto";
import { c14n, ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { hashTable, signatureTable } from "./algorithms.ts";

function onProblem(problem: string): never {
  throw new SamlRefusal("not_xml", problem.slice(0, 200));
}

function documentOf(xml: string): Document {
  const errorHandler = { warning: onProblem, error: onProblem, fatalError: onProblem };
  try {
    return new DOMParser({ errorHandler }).parseFromString(xml, "text/xml");
  } catch {
    throw new SamlRefusal("not_xml", "the two parsers do not agree");
  }
}

function signatureNode(xml: string): Node {
  const { documentElement } = documentOf(xml);
  const signatures = Array.from(documentElement.getElementsByTagNameNS(ns.signature, "Signature"));
  const found = signatures.filter(({ parentNode }) => parentNode === documentElement);
  const [signature] = found;
  if (signature === undefined || found.length !== 1)
    throw new SamlRefusal("signature_shape", "there must be exactly one signature");
  return signature;
}

/** The bytes that this key signed, or undefined. */
function signedBytes(xml: string, signature: Node, key: KeyObject): string | undefined {
  const verifier = new SignedXml({
    publicCert: key.export({ type: "spki", format: "pem" }),
    // A key in the message is ignored.
    getCertFromKeyInfo: () => null,
  });
  verifier.idAttributes = ["ID"];
  verifier.SignatureAlgorithms = signatureTable(key);
  verifier.HashAlgorithms = hashTable();
  const { [c14n.enveloped]: enveloped } = verifier.CanonicalizationAlgorithms;
  if (enveloped === undefined) throw new TypeError("xml-crypto lacks the enveloped-signature transform");
  verifier.CanonicalizationAlgorithms = { [c14n.enveloped]: enveloped, [c14n.exclusive]: ExclusiveCanonicalization };
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(xml)) return undefined;
  } catch {
    return undefined;
  }
  const references = verifier.getSignedReferences();
  return references.length === 1 ? references[0] : undefined;
}

/**
 * Verifies the one signature of a message whose shape was checked.
 * @param keys those of the service provider's configuration, and no others
 * @returns the signed bytes; everything must be read from them, nothing from `xml`
 * @throws SamlRefusal
 */
export function verifiedBytes(xml: string, keys: readonly KeyObject[]): string {
  if (keys.length === 0)
    throw new SamlRefusal("no_certificate", "the message is signed, but no certificate is configured");
  const signature = signatureNode(xml);
  for (const key of keys) {
    const bytes = signedBytes(xml, signature, key);
    if (bytes !== undefined) return bytes;
  }
  throw new SamlRefusal("signature_wrong", "no configured key verifies the signature");
}
