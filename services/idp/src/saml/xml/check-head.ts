import { SamlRefusal } from "../protocol/refusal.ts";
import { requiredAttribute, type XmlElement } from "./xml-tree.ts";

const clockSkewMs = 180_000;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)$/;
/** XML Schema's NCName in ASCII; saml-core §1.3.4 requires no more. */
const messageId = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;

/** Converts a SAML time, which is in UTC (saml-core §1.3.3), to milliseconds since the epoch. @throws SamlRefusal */
export function instantOf(text: string): number {
  const value = instant.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(value)) throw new SamlRefusal("time", "not a UTC time");
  return value;
}

export interface Arrival {
  /** Our endpoint that received the message. */
  readonly destination: string;
  readonly nowMs: number;
  readonly isSigned: boolean;
}

/** Checks what every message must contain (ADR 0080). @throws SamlRefusal */
export function checkHead(root: XmlElement, { destination, nowMs, isSigned }: Arrival) {
  const id = requiredAttribute(root, "ID");
  if (!messageId.test(id)) throw new SamlRefusal("structure", "the ID is not a valid name");
  if (requiredAttribute(root, "Version") !== "2.0") throw new SamlRefusal("structure", "Version is not 2.0");
  if (Math.abs(nowMs - instantOf(requiredAttribute(root, "IssueInstant"))) > clockSkewMs)
    throw new SamlRefusal("time", "IssueInstant is too far from the current time");
  const messageDestination = root.attributes.get("Destination") ?? "";
  // saml-bindings §3.4.5.2 and §3.5.5.2: a signed message must name its destination.
  if (messageDestination === "" ? isSigned : messageDestination !== destination)
    throw new SamlRefusal("destination", "Destination is not this endpoint");
  return { id };
}

export type MessageHead = ReturnType<typeof checkHead>;
