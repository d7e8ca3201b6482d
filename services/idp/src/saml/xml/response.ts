import { ns, statusCodes } from "../protocol/names.ts";
import type { ReleasedAttribute } from "./attributes.ts";
import { type AssertionEncryption, encryptedAssertion } from "./encrypt-xml.ts";
import type { NameId } from "./name-id.ts";
import { type Signer, signedElement } from "./sign-xml.ts";
import { element, type Xml, xmlOf, xmlString } from "./xml-writer.ts";

export interface ResponseHead {
  readonly id: string;
  readonly issuer: string;
  readonly destination: string;
  readonly inResponseTo: string;
  readonly nowMs: number;
}

export interface AssertionContent {
  readonly id: string;
  readonly audience: string;
  readonly nameId: NameId;
  readonly contextClass: string;
  readonly sessionIndex: string;
  readonly authnInstantMs: number;
  readonly sessionEndMs: number;
  readonly attributes: readonly ReleasedAttribute[];
}

/** How long an assertion is valid, and how far the service provider's clock may be behind. */
const deliveryMs = 90_000;
const skewMs = 180_000;

export function instant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, "Z");
}

export function issuerElement(issuer: string): Xml {
  return element("saml:Issuer", { "xmlns:saml": ns.assertion }, issuer);
}

export function nameIdElement({ format, value }: NameId, namespace: string | undefined): Xml {
  return element("saml:NameID", { "xmlns:saml": namespace, Format: format }, value);
}

function subjectOf({ nameId }: AssertionContent, { destination, inResponseTo, nowMs }: ResponseHead): Xml {
  const data = element("saml:SubjectConfirmationData", {
    Recipient: destination,
    InResponseTo: inResponseTo,
    NotOnOrAfter: instant(nowMs + deliveryMs),
  });
  return element(
    "saml:Subject",
    {},
    nameIdElement(nameId, undefined),
    element("saml:SubjectConfirmation", { Method: "urn:oasis:names:tc:SAML:2.0:cm:bearer" }, data),
  );
}

function attributeStatement(attributes: readonly ReleasedAttribute[]): Xml | undefined {
  if (attributes.length === 0) return undefined;
  const listed = attributes.map(({ name, friendlyName, nameFormat, values }) =>
    element(
      "saml:Attribute",
      { Name: name, NameFormat: nameFormat, FriendlyName: friendlyName },
      ...values.map((value) => element("saml:AttributeValue", {}, value)),
    ),
  );
  return element("saml:AttributeStatement", {}, ...listed);
}

function statementsOf(content: AssertionContent, head: ResponseHead): Xml {
  const { audience, sessionIndex, authnInstantMs, sessionEndMs, contextClass, attributes } = content;
  const { nowMs } = head;
  const conditions = element(
    "saml:Conditions",
    { NotBefore: instant(nowMs - skewMs), NotOnOrAfter: instant(nowMs + deliveryMs) },
    element("saml:AudienceRestriction", {}, element("saml:Audience", {}, audience)),
  );
  const authn = element(
    "saml:AuthnStatement",
    {
      AuthnInstant: instant(authnInstantMs),
      SessionIndex: sessionIndex,
      SessionNotOnOrAfter: instant(sessionEndMs),
    },
    element("saml:AuthnContext", {}, element("saml:AuthnContextClassRef", {}, contextClass)),
  );
  return xmlOf(subjectOf(content, head), conditions, authn, attributeStatement(attributes));
}

function assertionOf(content: AssertionContent, head: ResponseHead, signer: Signer): Xml {
  return signedElement(
    {
      name: "saml:Assertion",
      id: content.id,
      attributes: { "xmlns:saml": ns.assertion, Version: "2.0", IssueInstant: instant(head.nowMs) },
      issuer: element("saml:Issuer", {}, head.issuer),
      content: statementsOf(content, head),
    },
    signer,
  );
}

function responseOf(head: ResponseHead, content: Xml, signer: Signer): string {
  const { id, issuer, destination, inResponseTo, nowMs } = head;
  const attributes = {
    "xmlns:samlp": ns.protocol,
    Version: "2.0",
    IssueInstant: instant(nowMs),
    Destination: destination,
    InResponseTo: inResponseTo,
  };
  return xmlString(
    signedElement({ name: "samlp:Response", id, attributes, issuer: issuerElement(issuer), content }, signer),
  );
}

export interface Status {
  readonly code: string;
  readonly detail?: string | undefined;
}

export function statusElement({ code, detail }: Status): Xml {
  const second = detail === undefined ? undefined : element("samlp:StatusCode", { Value: detail });
  return element("samlp:Status", {}, element("samlp:StatusCode", { Value: code }, second));
}

/** A response with an assertion that is signed and then encrypted; the response is signed too. */
export function successResponse(
  head: ResponseHead,
  content: AssertionContent,
  { signer, encryption }: { readonly signer: Signer; readonly encryption: AssertionEncryption | undefined },
): string {
  const assertion = assertionOf(content, head, signer);
  const sealed = encryption === undefined ? assertion : encryptedAssertion(assertion, encryption);
  return responseOf(head, xmlOf(statusElement({ code: statusCodes.success }), sealed), signer);
}

/** A response with the reason why there is no assertion. */
export function failureResponse(head: ResponseHead, status: Status, signer: Signer): string {
  return responseOf(head, statusElement(status), signer);
}
