import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { selfSignedCertificate } from "../keys/saml-keys.ts";
import { bindings } from "../protocol/names.ts";
import { keys, nowMs, signed, sp } from "./forge.ts";

/** The federation's key pair. */
export const publisher = generateKeyPairSync("rsa", { modulusLength: 2048 });

const md = 'xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata"';
const ds = 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const protocol = "urn:oasis:names:tc:SAML:2.0:protocol";

/** Without its PEM lines. */
async function certificateOf(key: KeyObject): Promise<string> {
  const pem = await selfSignedCertificate(key, "test", nowMs);
  return pem.replaceAll(/-----[^-]+-----|\n/g, "");
}

export const spCertificate = await certificateOf(keys.privateKey);
export const nextCertificate = await certificateOf(keys.stranger.privateKey);

function descriptor(certificate: string, use: string): string {
  const info = `<ds:KeyInfo ${ds}><ds:X509Data><ds:X509Certificate>\n${certificate}\n</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  return `<md:KeyDescriptor${use}>${info}</md:KeyDescriptor>`;
}

export interface EntityOptions {
  readonly entityId?: string;
  readonly attributes?: string;
  readonly roleAttributes?: string;
  readonly certificates?: string;
  readonly consumers?: string;
}

const threeConsumers =
  `<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact" Location="https://sp.example.test/art" index="0" isDefault="true"/>` +
  `<md:AssertionConsumerService Binding="${bindings.post}" Location="https://sp.example.test/one" index="1"/>` +
  `<md:AssertionConsumerService Binding="${bindings.post}" Location="https://sp.example.test/two" index="2" isDefault="true"/>`;

/** A published service provider's descriptor, with several of each element. */
export function entityOf(options: EntityOptions = {}): string {
  const { entityId = sp, attributes = "", roleAttributes = "", consumers = threeConsumers } = options;
  const { certificates = descriptor(spCertificate, ' use="signing"') + descriptor(nextCertificate, "") } = options;
  const logout =
    `<md:SingleLogoutService Binding="${bindings.soap}" Location="https://sp.example.test/slo/soap"/>` +
    `<md:SingleLogoutService Binding="${bindings.post}" Location="https://sp.example.test/slo/post"/>` +
    `<md:SingleLogoutService Binding="${bindings.redirect}" Location="https://sp.example.test/slo/redirect" ResponseLocation="https://sp.example.test/slo/back"/>`;
  const formats = `<md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>`;
  const role = `<md:SPSSODescriptor protocolSupportEnumeration="${protocol}"${roleAttributes}>${certificates}${logout}${formats}${consumers}</md:SPSSODescriptor>`;
  return `<md:EntityDescriptor ${md} entityID="${entityId}"${attributes}>${role}</md:EntityDescriptor>`;
}

export function aggregateOf(entities: readonly string[], attributes = ' ID="_all"'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<!-- a federation -->\n<md:EntitiesDescriptor ${md}${attributes}>\n${entities.join("\n")}\n</md:EntitiesDescriptor>`;
}

/** With the publisher's signature, as the first child of the root. */
export function signedMetadata(xml: string, key: KeyObject = publisher.privateKey): string {
  return signed(xml, key, "/*", "prepend");
}
