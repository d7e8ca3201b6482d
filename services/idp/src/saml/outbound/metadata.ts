import { bindings, nameIdFormats, ns } from "../names.ts";
import { keyInfo, type Signer, signedElement } from "./sign-xml.ts";
import { element, type Xml, xmlOf, xmlString } from "./xml-writer.ts";

export interface SamlAddresses {
  readonly sso: string;
  readonly slo: string;
}

export interface MetadataContent {
  readonly entityId: string;
  /** Of this document; new for every one. */
  readonly id: string;
  readonly addresses: SamlAddresses;
  readonly hasSlo: boolean;
  readonly wantsSignedRequests: boolean;
  /** Base64 of DER: the signing one first. */
  readonly certificates: readonly string[];
  /** ISO 8601, until which the document may be kept. */
  readonly validUntil: string;
}

const both = [bindings.redirect, bindings.post] as const;

function services(name: string, location: string): readonly Xml[] {
  return both.map((binding) => element(`md:${name}`, { Binding: binding, Location: location }));
}

/** Our entity descriptor (saml-metadata §2.4), signed. */
export function metadataOf(content: MetadataContent, signer: Signer): string {
  const { entityId, id, addresses, certificates, validUntil } = content;
  const keys = certificates.map((certificate) =>
    element("md:KeyDescriptor", { use: "signing" }, keyInfo(certificate, { "xmlns:ds": ns.signature })),
  );
  const formats = Object.values(nameIdFormats).map((format) => element("md:NameIDFormat", {}, format));
  const descriptor = element(
    "md:IDPSSODescriptor",
    {
      protocolSupportEnumeration: ns.protocol,
      WantAuthnRequestsSigned: content.wantsSignedRequests ? "true" : "false",
    },
    ...keys,
    ...(content.hasSlo ? services("SingleLogoutService", addresses.slo) : []),
    ...formats,
    ...services("SingleSignOnService", addresses.sso),
  );
  const xml = signedElement(
    {
      name: "md:EntityDescriptor",
      id,
      attributes: { "xmlns:md": ns.metadata, entityID: entityId, validUntil, cacheDuration: "PT6H" },
      issuer: undefined,
      content: xmlOf(descriptor),
    },
    signer,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlString(xml)}`;
}
