import { createCipheriv, type KeyObject, randomBytes } from "node:crypto";
import { ns } from "../protocol/names.ts";
import { hashesOf, type KeyTransport, oaep11, wrappedKey } from "./key-transport.ts";
import { element, type Xml, xmlString } from "./xml-writer.ts";

const ciphers = {
  "aes256-gcm": { uri: "http://www.w3.org/2009/xmlenc11#aes256-gcm", cipher: "aes-256-gcm", keyBytes: 32 },
  "aes128-gcm": { uri: "http://www.w3.org/2009/xmlenc11#aes128-gcm", cipher: "aes-128-gcm", keyBytes: 16 },
  "aes256-cbc": { uri: "http://www.w3.org/2001/04/xmlenc#aes256-cbc", cipher: "aes-256-cbc", keyBytes: 32 },
  "aes128-cbc": { uri: "http://www.w3.org/2001/04/xmlenc#aes128-cbc", cipher: "aes-128-cbc", keyBytes: 16 },
} as const;

export type Encryption = keyof typeof ciphers;

/** The better ones first: GCM also authenticates. */
export const encryptions: readonly Encryption[] = ["aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"];

/** The content encryption with this URI; undefined if unsupported. */
export function encryptionOfUri(uri: string): Encryption | undefined {
  return encryptions.find((name) => ciphers[name].uri === uri);
}

export function isEncryption(name: string): name is Encryption {
  return Object.hasOwn(ciphers, name);
}

function cipherText(plain: Buffer, key: Buffer, name: Encryption): Buffer {
  const { cipher } = ciphers[name];
  if (cipher === "aes-256-gcm" || cipher === "aes-128-gcm") {
    const nonce = randomBytes(12);
    const sealing = createCipheriv(cipher, key, nonce);
    return Buffer.concat([nonce, sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
  }
  const nonce = randomBytes(16);
  const sealing = createCipheriv(cipher, key, nonce);
  return Buffer.concat([nonce, sealing.update(plain), sealing.final()]);
}

function valueOf(bytes: Buffer): Xml {
  return element("xenc:CipherData", {}, element("xenc:CipherValue", {}, bytes.toString("base64")));
}

/** The enclosing KeyInfo declares the prefix `ds`. */
function transportMethod({ algorithm, digest, mask }: KeyTransport): Xml {
  const masked =
    algorithm === oaep11 && mask !== undefined
      ? element("xenc11:MGF", { "xmlns:xenc11": ns.encryption11, Algorithm: mask })
      : undefined;
  return element(
    "xenc:EncryptionMethod",
    { Algorithm: algorithm },
    element("ds:DigestMethod", { Algorithm: digest }),
    masked,
  );
}

export interface AssertionEncryption {
  readonly key: KeyObject;
  readonly name: Encryption;
  readonly transport: KeyTransport;
}

/** The element as `saml:EncryptedAssertion`: a fresh AES key, wrapped by RSA-OAEP. */
export function encryptedAssertion(assertion: Xml, { key: publicKey, name, transport }: AssertionEncryption): Xml {
  const { uri, keyBytes } = ciphers[name];
  const hashes = hashesOf(transport);
  if (hashes === undefined) throw new RangeError(`no key transport ${transport.algorithm}`);
  const key = randomBytes(keyBytes);
  const wrapped = wrappedKey(key, publicKey, hashes);
  const encryptedKey = element("xenc:EncryptedKey", {}, transportMethod(transport), valueOf(wrapped));
  const data = element(
    "xenc:EncryptedData",
    { "xmlns:xenc": ns.encryption, Type: "http://www.w3.org/2001/04/xmlenc#Element" },
    element("xenc:EncryptionMethod", { Algorithm: uri }),
    element("ds:KeyInfo", { "xmlns:ds": ns.signature }, encryptedKey),
    valueOf(cipherText(Buffer.from(xmlString(assertion), "utf8"), key, name)),
  );
  return element("saml:EncryptedAssertion", { "xmlns:saml": ns.assertion }, data);
}
