import type { KeyObject } from "node:crypto";
import { sameEntity } from "../protocol/identifiers.ts";
import { ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { instantOf } from "../xml/check-message.ts";
import { hasSignature } from "../xml/signature-shape.ts";
import { verifiedBytes } from "../xml/verify-signature.ts";
import { childrenOf, isElement, parseXml, requiredAttribute, type XmlElement, type XmlRules } from "../xml/xml-tree.ts";
import type { MetadataFacts } from "./entity-facts.ts";
import { readRole } from "./service-provider-role.ts";
import { durationMs } from "./xml-duration.ts";

export interface ReadMetadataOptions {
  /** One of them must have signed the document; empty: it is accepted without a signature. */
  readonly keys: readonly KeyObject[];
  /** Entity IDs. */
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
  /** Bounds of the enclosing element. */
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

function readEntity({ entity, around }: Found) {
  const role = roleOf(entity);
  if (role === undefined) return undefined;
  const { validUntilMs, cacheMs } = narrowed(narrowed(around, entity), role);
  return { facts: { entityId: requiredAttribute(entity, "entityID"), validUntilMs, ...readRole(role) }, cacheMs };
}

/**
 * Reads service providers' metadata, of one entity or of a federation: strictly, and of a signed document only the
 * signed bytes (saml-metadata §2, §3).
 * @throws SamlRefusal; `time` if the document has expired
 */
export function readMetadata(xml: string, { keys, wanted, nowMs, maxBytes }: ReadMetadataOptions): MetadataFacts {
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
    entities: read.map(({ facts }) => facts),
    cacheMs: read.reduce((shortest, { cacheMs }) => earlier(shortest, cacheMs), bounds.cacheMs),
  };
}
