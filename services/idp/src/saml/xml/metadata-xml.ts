import { bindings, nameIdFormats, ns } from "../protocol/names.ts";
import { digestUris, signatureUris } from "./algorithms.ts";
import { keyInfo, type Signer, signedElement } from "./sign-xml.ts";
import { element, type Xml, xmlOf, xmlString } from "./xml-writer.ts";

interface MetadataContent {
  readonly entityId: string;
  /** ID of this document; new for each document. */
  readonly id: string;
  readonly addresses: { readonly sso: string; readonly slo: string };
  readonly hasSlo: boolean;
  readonly wantsSignedRequests: boolean;
  /** Base64 of DER; the certificate of the signing key first. */
  readonly certificates: readonly string[];
  /** Time until which the document is valid, ISO 8601. */
  readonly validUntil: string;
}

const both = [bindings.redirect, bindings.post] as const;

function services(name: string, location: string): readonly Xml[] {
  return both.map((binding) => element(`md:${name}`, { Binding: binding, Location: location }));
}

/**
 * The algorithms that our verifier accepts (saml-metadata-algsupport §2), so that service providers do not sign with
 * SHA-1. Namespaces are declared where they are first used, as the canonical form requires.
 */
function algorithms(): Xml {
  const namespace = { "xmlns:alg": ns.algorithmSupport };
  return element(
    "md:Extensions",
    {},
    ...Object.keys(digestUris).map((uri) => element("alg:DigestMethod", { ...namespace, Algorithm: uri })),
    ...signatureUris.map((uri) => element("alg:SigningMethod", { ...namespace, Algorithm: uri })),
  );
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
      content: xmlOf(algorithms(), descriptor),
    },
    signer,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${xmlString(xml)}`;
}
