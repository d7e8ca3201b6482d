import { type KeyObject, X509Certificate } from "node:crypto";
import { bindings, ns, sameEntity } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { instantOf } from "../xml/check-head.ts";
import { hasSignature } from "../xml/signature-shape.ts";
import { verifiedBytes } from "../xml/verify-signature.ts";
import {
  childOf,
  childrenOf,
  isElement,
  parseXml,
  requiredAttribute,
  textOf,
  type XmlElement,
  type XmlRules,
} from "../xml/xml-tree.ts";

const maxElements = 64;

function bounded<T>(list: readonly T[]): readonly T[] {
  if (list.length > maxElements) throw new SamlRefusal("too_large", "too many elements of one kind");
  return list;
}

/** A URL to which browsers may be sent. */
function addressOf(element: XmlElement, name: string): string {
  const address = requiredAttribute(element, name);
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") {
    throw new SamlRefusal("structure", `${name} is not a web address`);
  }
  return address;
}

function flagOf(element: XmlElement, name: string): boolean | undefined {
  const text = element.attributes.get(name);
  if (text === undefined) return undefined;
  return text === "true" || text === "1";
}

type Consumer = ReturnType<typeof consumerOf>;

/**
 * The default (saml-metadata §2.4.4.1): the first with isDefault true, or else without isDefault, or else the first.
 */
function defaultFirst(consumers: readonly Consumer[]) {
  const preferred =
    consumers.find(({ isDefault }) => isDefault === true) ?? consumers.find(({ isDefault }) => isDefault !== false);
  return consumers
    .toSorted((a, b) => Number(b === preferred) - Number(a === preferred))
    .map(({ url, index }) => ({ url, index }));
}

function consumerOf(service: XmlElement) {
  const index = requiredAttribute(service, "index");
  if (!/^\d{1,5}$/.test(index)) throw new SamlRefusal("structure", "invalid index");
  return { url: addressOf(service, "Location"), index: Number(index), isDefault: flagOf(service, "isDefault") };
}

function consumersOf(role: XmlElement) {
  const services = bounded(childrenOf(role, ns.metadata, "AssertionConsumerService"));
  const posted = services.filter((service) => requiredAttribute(service, "Binding") === bindings.post);
  const consumers = posted.map(consumerOf);
  if (new Set(consumers.map(({ index }) => index)).size < consumers.length) {
    throw new SamlRefusal("structure", "an index occurs twice");
  }
  return defaultFirst(consumers);
}

const logoutBindings: readonly string[] = Object.values(bindings);

function logoutServicesOf(role: XmlElement) {
  const services = bounded(childrenOf(role, ns.metadata, "SingleLogoutService"));
  return services
    .map((service) => ({
      binding: requiredAttribute(service, "Binding"),
      location: addressOf(service, "Location"),
      /** Endpoint for responses, if it differs. */
      responseLocation: service.attributes.has("ResponseLocation") ? addressOf(service, "ResponseLocation") : undefined,
    }))
    .filter(({ binding }) => logoutBindings.includes(binding));
}

function certificatesOf(descriptor: XmlElement): readonly string[] {
  const info = childOf(descriptor, ns.signature, "KeyInfo");
  const data = info === undefined ? [] : childrenOf(info, ns.signature, "X509Data");
  const certificates = data.flatMap((one) => childrenOf(one, ns.signature, "X509Certificate"));
  return certificates.map((certificate) => {
    try {
      return new X509Certificate(Buffer.from(textOf(certificate), "base64")).raw.toString("base64");
    } catch (error) {
      if (error instanceof SamlRefusal) throw error;
      throw new SamlRefusal("structure", "invalid certificate");
    }
  });
}

/** Keys without a use are for both (saml-metadata §2.4.1.1). */
function descriptorsFor(role: XmlElement, use: string): readonly XmlElement[] {
  return bounded(childrenOf(role, ns.metadata, "KeyDescriptor")).filter(({ attributes }) =>
    [undefined, use].includes(attributes.get("use")),
  );
}

/** `md:EncryptionMethod` (saml-metadata §2.4.1.1), by URIs. */
function encryptionMethodOf(method: XmlElement) {
  return {
    algorithm: requiredAttribute(method, "Algorithm"),
    digest: childOf(method, ns.signature, "DigestMethod")?.attributes.get("Algorithm"),
    /** Mask generation function of `rsa-oaep`. */
    mask: childOf(method, ns.encryption11, "MGF")?.attributes.get("Algorithm"),
  };
}

/** Reads the role of a service provider (saml-metadata §2.4.4). @throws SamlRefusal */
function readRole(role: XmlElement) {
  const encrypting = descriptorsFor(role, "encryption");
  const methods = encrypting.flatMap((descriptor) => childrenOf(descriptor, ns.metadata, "EncryptionMethod"));
  return {
    /** Endpoints of the POST binding, the default first (saml-metadata §2.4.4). */
    consumers: consumersOf(role),
    /** Endpoints for logout messages (saml-metadata §2.2.2). */
    logoutServices: logoutServicesOf(role),
    /** Base64 of DER. */
    signingCertificates: descriptorsFor(role, "signing").flatMap(certificatesOf),
    /** Base64 of DER. */
    encryptionCertificates: encrypting.flatMap(certificatesOf),
    /** Supported content encryption and key transport, the preferred first; empty if not stated. */
    encryptionMethods: bounded(methods).map(encryptionMethodOf),
    nameIdFormats: bounded(childrenOf(role, ns.metadata, "NameIDFormat")).map(textOf),
    authnRequestsSigned: flagOf(role, "AuthnRequestsSigned") === true,
  };
}

const duration =
  /^P(?!$)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})D)?(?:T(?!$)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})(?:\.\d{1,9})?S)?)?$/;
const unitSeconds = [365 * 86_400, 30 * 86_400, 86_400, 3600, 60, 1] as const;

/** An xs:duration in milliseconds; years of 365 and months of 30 days. Undefined for anything else, and for negative ones. */
export function durationMs(text: string): number | undefined {
  const parts = duration.exec(text);
  if (parts === null) return undefined;
  return unitSeconds.reduce((sum, seconds, index) => sum + Number(parts[index + 1] ?? 0) * seconds, 0) * 1000;
}

export interface ReadMetadataOptions {
  /** One of them must have signed the document; empty: it is accepted without a signature. */
  readonly keys: readonly KeyObject[];
  readonly wanted: readonly string[];
  readonly nowMs: number;
  readonly maxBytes: number;
}

/** Shorter than the smallest useful entity, so that the size in bytes also limits the nodes. */
const bytesOfNode = 12;

function rulesFor(maxBytes: number): XmlRules {
  return {
    documentBytes: maxBytes,
    depth: 64,
    nodes: Math.ceil(maxBytes / bytesOfNode),
    attributesOfElement: 64,
    allowsComments: true,
  };
}

function rootOf(xml: string, rules: XmlRules): XmlElement {
  const root = parseXml(xml, rules);
  const isMetadata = ["EntityDescriptor", "EntitiesDescriptor"].some((name) => isElement(root, ns.metadata, name));
  if (!isMetadata) throw new SamlRefusal("wrong_message", "the document is not metadata");
  return root;
}

/** The part of a document that is read: only the signed bytes if the signature must be verified. */
function trustedRoot(xml: string, keys: readonly KeyObject[], rules: XmlRules): XmlElement {
  const root = rootOf(xml, rules);
  if (keys.length === 0) return root;
  if (!hasSignature(root)) throw new SamlRefusal("signature_missing", "the metadata is not signed");
  return rootOf(verifiedBytes(xml, keys), rules);
}

interface Bounds {
  readonly validUntilMs: number | undefined;
  readonly cacheMs: number | undefined;
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** Validity and cache duration of an element, within those of its ancestors. */
function narrowed(bounds: Bounds, { attributes }: XmlElement): Bounds {
  const validUntil = attributes.get("validUntil");
  const cacheDuration = attributes.get("cacheDuration");
  return {
    validUntilMs: earlier(bounds.validUntilMs, validUntil === undefined ? undefined : instantOf(validUntil)),
    cacheMs: earlier(bounds.cacheMs, cacheDuration === undefined ? undefined : durationMs(cacheDuration)),
  };
}

interface Found {
  readonly entity: XmlElement;
  readonly around: Bounds;
}

function entitiesIn(element: XmlElement, around: Bounds): readonly Found[] {
  if (isElement(element, ns.metadata, "EntityDescriptor")) return [{ entity: element, around }];
  const bounds = narrowed(around, element);
  return element.children
    .filter((child) => ["EntityDescriptor", "EntitiesDescriptor"].some((name) => isElement(child, ns.metadata, name)))
    .flatMap((child) => entitiesIn(child, bounds));
}

/** An entity without an identifier is ignored. */
const identifierOf = (entity: XmlElement): string => sameEntity(entity.attributes.get("entityID") ?? "");

function roleOf(entity: XmlElement): XmlElement | undefined {
  return childrenOf(entity, ns.metadata, "SPSSODescriptor").find((role) =>
    requiredAttribute(role, "protocolSupportEnumeration").split(/\s+/).includes(ns.protocol),
  );
}

/** `validUntilMs`: expiry in milliseconds since the epoch; undefined: none. */
function readEntity({ entity, around }: Found) {
  const role = roleOf(entity);
  if (role === undefined) return undefined;
  const { validUntilMs, cacheMs } = narrowed(narrowed(around, entity), role);
  return { facts: { entityId: requiredAttribute(entity, "entityID"), validUntilMs, ...readRole(role) }, cacheMs };
}

/** The part of a service provider's metadata that is used; plain data that can be passed between threads. */
export type EntityFacts = NonNullable<ReturnType<typeof readEntity>>["facts"];
export type ConsumerService = EntityFacts["consumers"][number];
export type EncryptionMethod = EntityFacts["encryptionMethods"][number];

/**
 * Reads service providers' metadata, of one entity or of a federation: strictly, and of a signed document only the
 * signed bytes (saml-metadata §2, §3).
 * @throws SamlRefusal; `time` if the document has expired
 */
export function readMetadata(xml: string, { keys, wanted, nowMs, maxBytes }: ReadMetadataOptions) {
  const root = trustedRoot(xml, keys, rulesFor(maxBytes));
  const unbounded: Bounds = { validUntilMs: undefined, cacheMs: undefined };
  const bounds = narrowed(unbounded, root);
  if ((bounds.validUntilMs ?? nowMs + 1) <= nowMs) throw new SamlRefusal("time", "the metadata has expired");
  const names = new Set(wanted.map(sameEntity));
  const found = entitiesIn(root, unbounded).filter(({ entity }) => names.has(identifierOf(entity)));
  if (new Set(found.map(({ entity }) => identifierOf(entity))).size < found.length) {
    throw new SamlRefusal("structure", "an entity occurs twice");
  }
  const read = found.flatMap((one) => readEntity(one) ?? []);
  return {
    /** The wanted entities that the document contains. */
    entities: read.map(({ facts }) => facts),
    /** How long the document may be cached, in milliseconds. */
    cacheMs: read.reduce((shortest, { cacheMs }) => earlier(shortest, cacheMs), bounds.cacheMs),
  };
}

export type MetadataFacts = ReturnType<typeof readMetadata>;
