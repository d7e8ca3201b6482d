import { randomBytes } from "node:crypto";

/** ID of a message, or of a session at service providers: 160 bits, and a valid XML name. */
export const newId = (): string => `_${randomBytes(20).toString("hex")}`;

/** Normalises an entity ID for comparison: scheme and host in lower case, no trailing slash, no fragment. */
export function sameEntity(entityId: string): string {
  const url = /^https?:/i.test(entityId) ? URL.parse(entityId) : null;
  if (url === null) return entityId;
  url.hash = "";
  return url.href.replace(/\/$/, "");
}

/** Namespaces and identifiers of SAML 2.0 (OASIS saml-core, saml-metadata, saml-bindings) and XML Signature. */
export const ns = Object.freeze({
  protocol: "urn:oasis:names:tc:SAML:2.0:protocol",
  assertion: "urn:oasis:names:tc:SAML:2.0:assertion",
  metadata: "urn:oasis:names:tc:SAML:2.0:metadata",
  signature: "http://www.w3.org/2000/09/xmldsig#",
  encryption: "http://www.w3.org/2001/04/xmlenc#",
  encryption11: "http://www.w3.org/2009/xmlenc11#",
  algorithmSupport: "urn:oasis:names:tc:SAML:metadata:algsupport",
  soap: "http://schemas.xmlsoap.org/soap/envelope/",
});

export const bindings = Object.freeze({
  redirect: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect",
  post: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
  soap: "urn:oasis:names:tc:SAML:2.0:bindings:SOAP",
});

export const nameIdFormats = Object.freeze({
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified",
});

export const statusCodes = Object.freeze({
  success: "urn:oasis:names:tc:SAML:2.0:status:Success",
  requester: "urn:oasis:names:tc:SAML:2.0:status:Requester",
  responder: "urn:oasis:names:tc:SAML:2.0:status:Responder",
  authnFailed: "urn:oasis:names:tc:SAML:2.0:status:AuthnFailed",
  noPassive: "urn:oasis:names:tc:SAML:2.0:status:NoPassive",
  noAuthnContext: "urn:oasis:names:tc:SAML:2.0:status:NoAuthnContext",
  invalidNameIdPolicy: "urn:oasis:names:tc:SAML:2.0:status:InvalidNameIDPolicy",
  partialLogout: "urn:oasis:names:tc:SAML:2.0:status:PartialLogout",
  unknownPrincipal: "urn:oasis:names:tc:SAML:2.0:status:UnknownPrincipal",
});

export const contextClasses = Object.freeze({
  password: "urn:oasis:names:tc:SAML:2.0:ac:classes:Password",
  passwordProtected: "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport",
  unspecified: "urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified",
  timeSync: "urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken",
  /** REFEDS MFA profile 1.2. */
  refedsMfa: "https://refeds.org/profile/mfa",
});

export const c14n = Object.freeze({
  exclusive: "http://www.w3.org/2001/10/xml-exc-c14n#",
  enveloped: "http://www.w3.org/2000/09/xmldsig#enveloped-signature",
});
