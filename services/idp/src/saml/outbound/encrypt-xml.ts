import { constants, createCipheriv, type KeyObject, publicEncrypt, randomBytes } from "node:crypto";
import { ns } from "../names.ts";
import { element, type Xml, xmlString } from "./xml-writer.ts";

const ciphers = {
  "aes256-gcm": { uri: "http://www.w3.org/2009/xmlenc11#aes256-gcm", cipher: "aes-256-gcm", keyBytes: 32 },
  "aes128-gcm": { uri: "http://www.w3.org/2009/xmlenc11#aes128-gcm", cipher: "aes-128-gcm", keyBytes: 16 },
  "aes256-cbc": { uri: "http://www.w3.org/2001/04/xmlenc#aes256-cbc", cipher: "aes-256-cbc", keyBytes: 32 },
  "aes128-cbc": { uri: "http://www.w3.org/2001/04/xmlenc#aes128-cbc", cipher: "aes-128-cbc", keyBytes: 16 },
} as const;

export type Encryption = keyof typeof ciphers;

export function isEncryption(name: string): name is Encryption {
  return Object.hasOwn(ciphers, name);
}

const oaep = "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p";
const sha1 = "http://www.w3.org/2000/09/xmldsig#sha1";

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

/**
 * The element as `saml:EncryptedAssertion`: a fresh AES key, wrapped by RSA-OAEP. Its digest is SHA-1, the default of
 * xmlenc §5.5.2 and the one that every implementation reads; OAEP does not rest on collision resistance.
 */
export function encryptedAssertion(assertion: Xml, publicKey: KeyObject, name: Encryption): Xml {
  const { uri, keyBytes } = ciphers[name];
  const key = randomBytes(keyBytes);
  const wrapped = publicEncrypt({ key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: "sha1" }, key);
  const encryptedKey = element(
    "xenc:EncryptedKey",
    {},
    element(
      "xenc:EncryptionMethod",
      { Algorithm: oaep },
      // The prefix is KeyInfo's, around this.
      element("ds:DigestMethod", { Algorithm: sha1 }),
    ),
    valueOf(wrapped),
  );
  const data = element(
    "xenc:EncryptedData",
    { "xmlns:xenc": ns.encryption, Type: "http://www.w3.org/2001/04/xmlenc#Element" },
    element("xenc:EncryptionMethod", { Algorithm: uri }),
    element("ds:KeyInfo", { "xmlns:ds": ns.signature }, encryptedKey),
    valueOf(cipherText(Buffer.from(xmlString(assertion), "utf8"), key, name)),
  );
  return element("saml:EncryptedAssertion", { "xmlns:saml": ns.assertion }, data);
}
