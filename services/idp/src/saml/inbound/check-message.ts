import { SamlRefusal } from "../refusal.ts";
import { requiredAttribute, type XmlElement } from "./xml-tree.ts";

/** How far clocks may differ. */
const clockSkewMs = 180_000;

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|\+00:00)$/;
/** XML Schema's NCName in ASCII; saml-core §1.3.4 asks for no more. */
const messageId = /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/;

/** An instant of SAML, which is in UTC (saml-core §1.3.3), in milliseconds since the epoch. @throws SamlRefusal */
export function instantOf(text: string): number {
  const value = instant.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(value)) throw new SamlRefusal("time", "not an instant");
  return value;
}

export interface Arrival {
  /** Our address to which the message came. */
  readonly destination: string;
  readonly nowMs: number;
  readonly isSigned: boolean;
}

export interface MessageHead {
  readonly id: string;
  readonly issueInstantMs: number;
}

/** What every message must say (reliability §1, rule 8). @throws SamlRefusal */
export function checkHead(root: XmlElement, { destination, nowMs, isSigned }: Arrival): MessageHead {
  const id = requiredAttribute(root, "ID");
  if (!messageId.test(id)) throw new SamlRefusal("structure", "the ID is no name");
  if (requiredAttribute(root, "Version") !== "2.0") throw new SamlRefusal("structure", "not version 2.0");
  const issueInstantMs = instantOf(requiredAttribute(root, "IssueInstant"));
  if (Math.abs(nowMs - issueInstantMs) > clockSkewMs) throw new SamlRefusal("time", "IssueInstant is not now");
  const told = root.attributes.get("Destination") ?? "";
  // saml-bindings §3.4.5.2 and §3.5.5.2: a signed message must say where it goes.
  if (told === "" ? isSigned : told !== destination) throw new SamlRefusal("destination", "not meant for this address");
  return { id, issueInstantMs };
}
