import { constants, hash, type KeyObject, publicEncrypt, randomBytes } from "node:crypto";
import { ns } from "../protocol/names.ts";

const digests = {
  "http://www.w3.org/2000/09/xmldsig#sha1": "sha1",
  "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
  "http://www.w3.org/2001/04/xmldsig-more#sha384": "sha384",
  "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
} as const;

const masks = {
  [`${ns.encryption11}mgf1sha1`]: "sha1",
  [`${ns.encryption11}mgf1sha256`]: "sha256",
  [`${ns.encryption11}mgf1sha384`]: "sha384",
  [`${ns.encryption11}mgf1sha512`]: "sha512",
} as const;

type Digest = (typeof digests)[keyof typeof digests];

export const oaepMgf1p = `${ns.encryption}rsa-oaep-mgf1p`;
export const oaep11 = `${ns.encryption11}rsa-oaep`;

/** How a content key is encrypted: RSA-OAEP with these URIs (xmlenc11 §5.5.2). */
export interface KeyTransport {
  readonly algorithm: string;
  readonly digest: string;
  /** Named only for `rsa-oaep`; `rsa-oaep-mgf1p` always uses SHA-1 here, whatever the digest. */
  readonly mask: string | undefined;
}

/** The default of xmlenc §5.5.2, which every implementation supports; OAEP does not rely on collision resistance. */
export const commonTransport: KeyTransport = Object.freeze({
  algorithm: oaepMgf1p,
  digest: "http://www.w3.org/2000/09/xmldsig#sha1",
  mask: undefined,
});

function valueAt(table: Readonly<Record<string, Digest>>, uri: string): Digest | undefined {
  return Object.hasOwn(table, uri) ? table[uri] : undefined;
}

/** Undefined if unsupported, as PKCS#1 v1.5 is. */
export function hashesOf({
  algorithm,
  digest,
  mask,
}: KeyTransport): readonly [digest: Digest, mask: Digest] | undefined {
  if (algorithm !== oaepMgf1p && algorithm !== oaep11) return undefined;
  const masked = algorithm === oaepMgf1p || mask === undefined ? "sha1" : valueAt(masks, mask);
  const digested = valueAt(digests, digest);
  return digested === undefined || masked === undefined ? undefined : [digested, masked];
}

function maskOf(seed: Buffer, length: number, digest: Digest): Buffer {
  const parts: Buffer[] = [];
  for (let counter = 0, bytes = 0; bytes < length; counter += 1) {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const part = hash(digest, Buffer.concat([seed, count]), "buffer");
    parts.push(part);
    bytes += part.length;
  }
  return Buffer.concat(parts).subarray(0, length);
}

function xored(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

/**
 * EME-OAEP (RFC 8017 §7.1.1) with separate hashes for digest and mask. Node's OpenSSL interface uses one hash for both,
 * which is not what `rsa-oaep-mgf1p` means with SHA-256.
 */
export function wrappedKey(key: Buffer, publicKey: KeyObject, [digest, mask]: readonly [Digest, Digest]): Buffer {
  const labelHash = hash(digest, Buffer.alloc(0), "buffer");
  const size = Math.ceil((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  const padding = size - key.length - 2 * labelHash.length - 2;
  if (padding < 0) throw new RangeError("the RSA key is too short for this digest");
  const block = Buffer.concat([labelHash, Buffer.alloc(padding), Buffer.from([1]), key]);
  const seed = randomBytes(labelHash.length);
  const maskedBlock = xored(block, maskOf(seed, block.length, mask));
  const maskedSeed = xored(seed, maskOf(maskedBlock, seed.length, mask));
  const encoded = Buffer.concat([Buffer.from([0]), maskedSeed, maskedBlock]);
  return publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, encoded);
}
