import { c14n, ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { digestUris, signatureRowOf } from "./algorithms.ts";
import { childOf, childrenOf, isElement, requiredAttribute, type XmlElement } from "./xml-tree.ts";

function wrong(detail: string): never {
  throw new SamlRefusal("signature_shape", detail);
}

function countSignatures(element: XmlElement): number {
  const own = isElement(element, ns.signature, "Signature") ? 1 : 0;
  return element.children.reduce((sum, child) => sum + countSignatures(child), own);
}

function only(element: XmlElement, name: string): XmlElement {
  return childOf(element, ns.signature, name) ?? wrong(`${name} is missing`);
}

function checkTransforms(reference: XmlElement): void {
  const listed = childrenOf(only(reference, "Transforms"), ns.signature, "Transform");
  const algorithms = listed.map((transform) => requiredAttribute(transform, "Algorithm"));
  const [first, second] = algorithms;
  if (algorithms.length !== 2 || first !== c14n.enveloped || second !== c14n.exclusive) wrong("transforms");
}

function checkSignedInfo(signedInfo: XmlElement, rootId: string): void {
  if (signedInfo.children.map(({ name }) => name).join() !== "CanonicalizationMethod,SignatureMethod,Reference") {
    wrong("SignedInfo contains unexpected elements");
  }
  const algorithmOf = (name: string): string => requiredAttribute(only(signedInfo, name), "Algorithm");
  if (algorithmOf("CanonicalizationMethod") !== c14n.exclusive) throw new SamlRefusal("algorithm", "canonicalization");
  if (signatureRowOf(algorithmOf("SignatureMethod")) === undefined) throw new SamlRefusal("algorithm", "signature");
  const reference = only(signedInfo, "Reference");
  if (reference.attributes.get("URI") !== `#${rootId}`) wrong("the reference does not point to the root element");
  const digest = requiredAttribute(only(reference, "DigestMethod"), "Algorithm");
  if (!Object.hasOwn(digestUris, digest)) throw new SamlRefusal("algorithm", "digest");
  only(reference, "DigestValue");
  checkTransforms(reference);
}

/**
 * Whether the message contains a signature. It must be the only one, a direct child of the root, with one reference, to
 * the root, with the two supported transforms and a supported algorithm (ADR 0080).
 * @throws SamlRefusal
 */
export function hasSignature(root: XmlElement): boolean {
  const count = countSignatures(root);
  if (count === 0) return false;
  if (count > 1) wrong("more than one signature");
  const signature =
    childOf(root, ns.signature, "Signature") ?? wrong("the signature is not a child of the root element");
  const parts = signature.children.map(({ name }) => name);
  if (!["SignedInfo,SignatureValue", "SignedInfo,SignatureValue,KeyInfo"].includes(parts.join(","))) {
    wrong("the signature contains unexpected elements");
  }
  const rootId = requiredAttribute(root, "ID");
  if (!/^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/.test(rootId)) wrong("the ID of the root element is not a valid name");
  checkSignedInfo(only(signature, "SignedInfo"), rootId);
  only(signature, "SignatureValue");
  return true;
}
