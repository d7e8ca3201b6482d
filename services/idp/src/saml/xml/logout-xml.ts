import { ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { instantOf, type MessageHead } from "./check-head.ts";
import type { NameId } from "./name-id.ts";
import { instant, issuerElement, nameIdElement, type ResponseHead, type Status, statusElement } from "./response.ts";
import type { Signable } from "./sign-xml.ts";
import { childOf, childrenOf, requiredAttribute, textOf, type XmlElement } from "./xml-tree.ts";
import { element, xmlOf } from "./xml-writer.ts";

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

type LogoutHead = Omit<ResponseHead, "inResponseTo">;

const lifeMs = 300_000;

function attributesOf({ destination, nowMs }: LogoutHead) {
  return { "xmlns:samlp": ns.protocol, Version: "2.0", IssueInstant: instant(nowMs), Destination: destination };
}

/** saml-core §3.7.2; the caller signs it as the binding requires. */
export function logoutResponseOf(head: LogoutHead, inResponseTo: string, status: Status): Signable {
  return {
    name: "samlp:LogoutResponse",
    id: head.id,
    attributes: { ...attributesOf(head), InResponseTo: inResponseTo },
    issuer: issuerElement(head.issuer),
    content: statusElement(status),
  };
}

/** saml-core §3.7.1 */
export function logoutRequestOf(
  head: LogoutHead,
  { nameId, sessionIndex }: { readonly nameId: NameId; readonly sessionIndex: string },
): Signable {
  return {
    name: "samlp:LogoutRequest",
    id: head.id,
    attributes: { ...attributesOf(head), NotOnOrAfter: instant(head.nowMs + lifeMs) },
    issuer: issuerElement(head.issuer),
    content: xmlOf(nameIdElement(nameId, ns.assertion), element("samlp:SessionIndex", {}, sessionIndex)),
  };
}
