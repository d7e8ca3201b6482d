import type { KeyObject } from "node:crypto";
import { inflateRawSync } from "node:zlib";
import { ns } from "../protocol/names.ts";
import { SamlRefusal } from "../protocol/refusal.ts";
import { bytesOfBase64, signatureRowOf, verifies } from "./algorithms.ts";
import { messageLimits } from "./limits.ts";
import type { MessageParameters, RedirectQuery } from "./redirect-query.ts";
import { hasSignature } from "./signature-shape.ts";
import { verifiedBytes } from "./verify-signature.ts";
import { childOf, isElement, parseXml, textOf, type XmlElement } from "./xml-tree.ts";

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function bytesOf(encoded: string): Buffer {
  if (encoded.length > messageLimits.encodedLength) throw new SamlRefusal("too_large", "encoded message");
  // Some service providers post Base64 with line breaks (RFC 2045 §6.8).
  const joined = encoded.replaceAll(/[\r\n]/g, "");
  if (joined === "" || !base64.test(joined)) throw new SamlRefusal("encoding", "not Base64");
  return Buffer.from(joined, "base64");
}

function utf8Of(bytes: Uint8Array): string {
  if (bytes.length > messageLimits.documentBytes) throw new SamlRefusal("too_large", "document");
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SamlRefusal("encoding", "not UTF-8");
  }
}

/** A message of the POST binding (saml-bindings §3.5.4). @throws SamlRefusal */
export function decodePosted(encoded: string): string {
  return utf8Of(bytesOf(encoded));
}

/** A message of the Redirect binding: DEFLATE, then Base64 (saml-bindings §3.4.4.1). @throws SamlRefusal */
export function decodeRedirected(encoded: string): string {
  const packed = bytesOf(encoded);
  try {
    return utf8Of(inflateRawSync(packed, { maxOutputLength: messageLimits.documentBytes }));
  } catch (error) {
    if (error instanceof SamlRefusal) throw error;
    throw new SamlRefusal("encoding", "not DEFLATE, or inflates beyond the limit");
  }
}

export type MessageName = "AuthnRequest" | "LogoutRequest" | "LogoutResponse";

/** The sender of messages, as configured. */
export interface Sender {
  readonly keys: readonly KeyObject[];
  /** Whether messages of this name are accepted without a signature. */
  mayOmitSignature(name: MessageName): boolean;
}

export interface ReadDeps<Peer extends Sender> {
  /** Finds the sender by the entity ID in the message. */
  readonly findSender: (entityId: string) => Peer | undefined;
  readonly names: readonly MessageName[];
}

/** A message whose sender is known and whose signature, if required, is valid. */
export interface ReadMessage<Peer extends Sender> {
  readonly name: MessageName;
  readonly sender: Peer;
  readonly isSigned: boolean;
  /** Read only from the signed bytes, if there is a signature. */
  readonly root: XmlElement;
  readonly relayState: string | undefined;
}

function nameOf(root: XmlElement, names: readonly MessageName[]): MessageName {
  const name = names.find((candidate) => isElement(root, ns.protocol, candidate));
  if (name === undefined) throw new SamlRefusal("wrong_message", `${root.name} is not expected here`);
  return name;
}

function issuerOf(root: XmlElement): string {
  const issuer = childOf(root, ns.assertion, "Issuer");
  if (issuer === undefined) throw new SamlRefusal("structure", "Issuer is missing");
  return textOf(issuer);
}

function opened<Peer extends Sender>(xml: string, { findSender, names }: ReadDeps<Peer>) {
  const root = parseXml(xml);
  const name = nameOf(root, names);
  const sender = findSender(issuerOf(root));
  if (sender === undefined) throw new SamlRefusal("unknown_issuer", "no service provider has this entity ID");
  return { root, name, sender };
}

function demandSignature(sender: Sender, name: MessageName): void {
  if (!sender.mayOmitSignature(name)) throw new SamlRefusal("signature_missing", `${name} must be signed`);
}

/** Reads a message of the POST binding or of SOAP, which contains its signature. @throws SamlRefusal */
export function readEnveloped<Peer extends Sender>(
  xml: string,
  relayState: string | undefined,
  deps: ReadDeps<Peer>,
): ReadMessage<Peer> {
  const { root, name, sender } = opened(xml, deps);
  if (!hasSignature(root)) {
    demandSignature(sender, name);
    return { name, sender, isSigned: false, root, relayState };
  }
  // From here on, only the signed bytes are used, not the original document.
  const verified = opened(verifiedBytes(xml, sender.keys), deps);
  if (verified.sender !== sender || verified.name !== name)
    throw new SamlRefusal("signature_shape", "the signature covers another message");
  return { ...verified, isSigned: true, relayState };
}

export function readPosted<Peer extends Sender>(posted: MessageParameters, deps: ReadDeps<Peer>): ReadMessage<Peer> {
  return readEnveloped(decodePosted(posted.message), posted.relayState, deps);
}

function checkDetached({ algorithm, value, octets }: NonNullable<RedirectQuery["signature"]>, { keys }: Sender): void {
  const row = signatureRowOf(algorithm);
  const signature = bytesOfBase64(value);
  if (row === undefined) throw new SamlRefusal("algorithm", "signature");
  if (keys.length === 0)
    throw new SamlRefusal("no_certificate", "the message is signed, but no certificate is configured");
  if (signature === undefined || !keys.some((key) => verifies(row, key, octets, signature))) {
    throw new SamlRefusal("signature_wrong", "no configured key verifies the signature");
  }
}

/** Reads a message of the Redirect binding, whose signature covers the raw query. @throws SamlRefusal */
export function readRedirected<Peer extends Sender>(query: RedirectQuery, deps: ReadDeps<Peer>): ReadMessage<Peer> {
  const { root, name, sender } = opened(decodeRedirected(query.message), deps);
  if (hasSignature(root))
    throw new SamlRefusal("signature_shape", "a message of the Redirect binding must be signed in its query");
  if (query.signature === undefined) demandSignature(sender, name);
  else checkDetached(query.signature, sender);
  return { name, sender, isSigned: query.signature !== undefined, root, relayState: query.relayState };
}
