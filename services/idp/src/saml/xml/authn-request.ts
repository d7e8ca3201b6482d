import { ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import type { MessageHead } from "./check-head.ts";
import { childOf, childrenOf, textOf, type XmlElement } from "./xml-tree.ts";

export const comparisons = ["exact", "minimum", "maximum", "better"] as const;
export type Comparison = (typeof comparisons)[number];

export interface RequestedContext {
  readonly comparison: Comparison;
  readonly classes: readonly string[];
}

function booleanOf(text: string | undefined): boolean {
  if (text === undefined || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw new SamlRefusal("structure", "not a boolean");
}

function indexOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text)) throw new SamlRefusal("structure", "not an index");
  return Number(text);
}

const maxClasses = 32;

function contextOf(root: XmlElement): RequestedContext | undefined {
  const requested = childOf(root, ns.protocol, "RequestedAuthnContext");
  if (requested === undefined) return undefined;
  const comparisonName = requested.attributes.get("Comparison") ?? "exact";
  const comparison = comparisons.find((name) => name === comparisonName);
  if (comparison === undefined) throw new SamlRefusal("structure", "Comparison");
  const classes = childrenOf(requested, ns.assertion, "AuthnContextClassRef").map(textOf);
  if (classes.length > maxClasses) throw new SamlRefusal("too_large", "too many context classes");
  return { comparison, classes };
}

const longestHint = 255;

function hintOf(root: XmlElement): string | undefined {
  const subject = childOf(root, ns.assertion, "Subject");
  const nameId = subject === undefined ? undefined : childOf(subject, ns.assertion, "NameID");
  const name = nameId === undefined ? "" : textOf(nameId);
  return name === "" || name.length > longestHint ? undefined : name;
}

/** What an AuthnRequest requests (saml-core §3.4.1). @throws SamlRefusal */
export function readAuthnRequest(root: XmlElement, { id }: MessageHead) {
  const { attributes } = root;
  const policy = childOf(root, ns.protocol, "NameIDPolicy");
  const format = policy?.attributes.get("Format");
  return {
    id,
    acsUrl: attributes.get("AssertionConsumerServiceURL"),
    acsIndex: indexOf(attributes.get("AssertionConsumerServiceIndex")),
    protocolBinding: attributes.get("ProtocolBinding"),
    isPassive: booleanOf(attributes.get("IsPassive")),
    forceAuthn: booleanOf(attributes.get("ForceAuthn")),
    nameIdFormat: format === "" ? undefined : format,
    requestedContext: contextOf(root),
    /** The user name that the service provider suggests. */
    loginHint: hintOf(root),
  };
}

export type AuthnRequest = ReturnType<typeof readAuthnRequest>;
