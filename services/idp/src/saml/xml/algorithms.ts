import { constants, hash, type KeyObject, verify } from "node:crypto";
import type { HashAlgorithm, SignatureAlgorithm } from "xml-crypto";

type Digest = "sha256" | "sha384" | "sha512";

const more = "http://www.w3.org/2001/04/xmldsig-more#";

/** RFC 6931. A message with any other algorithm, such as SHA-1 or a keyed hash, is rejected. */
const signatureRows = Object.freeze([
  { uri: `${more}rsa-sha256`, digest: "sha256", kind: "rsa" },
  { uri: `${more}rsa-sha384`, digest: "sha384", kind: "rsa" },
  { uri: `${more}rsa-sha512`, digest: "sha512", kind: "rsa" },
  { uri: "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1", digest: "sha256", kind: "rsa-pss" },
  { uri: `${more}ecdsa-sha256`, digest: "sha256", kind: "ec" },
  { uri: `${more}ecdsa-sha384`, digest: "sha384", kind: "ec" },
  { uri: `${more}ecdsa-sha512`, digest: "sha512", kind: "ec" },
] as const);

type SignatureRow = (typeof signatureRows)[number];

export const digestUris: Readonly<Record<string, Digest>> = Object.freeze({
  "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
  "http://www.w3.org/2001/04/xmldsig-more#sha384": "sha384",
  "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
});

export const signatureUris: readonly string[] = signatureRows.map(({ uri }) => uri);

export function signatureRowOf(uri: string): SignatureRow | undefined {
  return signatureRows.find((row) => row.uri === uri);
}

const smallestModulusBits = 2048;

/** Whether the key fits the algorithm and is long enough. */
function isFit(key: KeyObject, { kind }: SignatureRow): boolean {
  if (kind === "ec") return key.asymmetricKeyType === "ec";
  return key.asymmetricKeyType === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= smallestModulusBits;
}

/** Whether this key signed the text; false for a key of another kind. */
export function verifies(row: SignatureRow, key: KeyObject, text: string, signature: Uint8Array): boolean {
  if (!isFit(key, row)) return false;
  const data = Buffer.from(text, "utf8");
  if (row.kind === "ec") return verify(row.digest, data, { key, dsaEncoding: "ieee-p1363" }, signature);
  if (row.kind === "rsa") return verify(row.digest, data, key, signature);
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST;
  return verify(row.digest, data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }, signature);
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

export function bytesOfBase64(text: string): Buffer | undefined {
  const joined = text.replaceAll(/\s/g, "");
  return base64.test(joined) ? Buffer.from(joined, "base64") : undefined;
}

function verifierClass(row: SignatureRow, key: KeyObject): new () => SignatureAlgorithm {
  return class implements SignatureAlgorithm {
    getAlgorithmName(): string {
      return row.uri;
    }
    getSignature(): string {
      throw new TypeError("this algorithm can only verify");
    }
    verifySignature(material: string, _key: unknown, value: string): boolean {
      const signature = bytesOfBase64(value);
      return signature !== undefined && verifies(row, key, material, signature);
    }
  };
}

function hashClass(uri: string, digest: Digest): new () => HashAlgorithm {
  return class implements HashAlgorithm {
    getAlgorithmName(): string {
      return uri;
    }
    getHash(xml: string): string {
      return hash(digest, xml, "base64");
    }
  };
}

/** The verifier's algorithms bound to one key: a key in the message is ignored. */
export function signatureTable(key: KeyObject): Record<string, new () => SignatureAlgorithm> {
  return Object.fromEntries(signatureRows.map((row) => [row.uri, verifierClass(row, key)]));
}

export function hashTable(): Record<string, new () => HashAlgorithm> {
  return Object.fromEntries(Object.entries(digestUris).map(([uri, digest]) => [uri, hashClass(uri, digest)]));
}
