import { ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { instantOf, type MessageHead } from "./check-message.ts";
import { childOf, childrenOf, requiredAttribute, textOf, type XmlElement } from "./xml-tree.ts";

const maxIndexes = 32;

/** saml-core §3.7.1. Without session indexes, the session of the browser that brings the request. @throws SamlRefusal */
export function readLogoutRequest(root: XmlElement, { id }: MessageHead, nowMs: number) {
  const nameId = childOf(root, ns.assertion, "NameID");
  if (nameId === undefined) throw new SamlRefusal("structure", "NameID is missing");
  const notOnOrAfter = root.attributes.get("NotOnOrAfter");
  if (notOnOrAfter !== undefined && nowMs >= instantOf(notOnOrAfter))
    throw new SamlRefusal("time", "NotOnOrAfter has passed");
  const sessionIndexes = childrenOf(root, ns.protocol, "SessionIndex").map(textOf);
  if (sessionIndexes.length > maxIndexes) throw new SamlRefusal("too_large", "too many session indexes");
  return { id, nameId: textOf(nameId), sessionIndexes };
}

/** @throws SamlRefusal */
export function readLogoutResponse(root: XmlElement) {
  const status = childOf(root, ns.protocol, "Status");
  const code = status === undefined ? undefined : childOf(status, ns.protocol, "StatusCode");
  if (code === undefined) throw new SamlRefusal("structure", "StatusCode is missing");
  const second = childOf(code, ns.protocol, "StatusCode");
  return {
    inResponseTo: requiredAttribute(root, "InResponseTo"),
    status: requiredAttribute(code, "Value"),
    /** The second-level status, if there is one. */
    detail: second === undefined ? undefined : requiredAttribute(second, "Value"),
  };
}
