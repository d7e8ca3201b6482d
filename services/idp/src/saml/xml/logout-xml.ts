import { ns } from "../protocol/names.ts";
import type { NameId } from "./name-id.ts";
import { instant, issuerElement, nameIdElement, type ResponseHead, type Status, statusElement } from "./response.ts";
import type { Signable } from "./sign-xml.ts";
import { element, xmlOf } from "./xml-writer.ts";

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
