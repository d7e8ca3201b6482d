import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from "node:crypto";
import type { Secret } from "./secret.ts";

export type KeyRing = ReturnType<typeof createKeyRing>;

const cipher = "aes-256-gcm";
const version = 1;
const keyIdBytes = 4;
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const saltAt = 1 + keyIdBytes;
const nonceAt = saltAt + saltBytes;
const headerBytes = nonceAt + nonceBytes;

type RingKey = ReturnType<typeof derive>;

/** HKDF (RFC 5869): derives a separate key for each purpose from one secret. */
function derive(secret: Secret, purpose: string) {
  const bytes = Buffer.from(hkdfSync("sha256", secret.reveal(), "postern key ring", purpose, 32 + keyIdBytes));
  return { id: bytes.subarray(32), key: createSecretKey(bytes.subarray(0, 32)) };
}

/**
 * Each value is encrypted with its own key, derived from the ring's key and 16 random bytes. The limit of 2^32 random nonces per key (NIST
 * SP 800-38D §8.3) therefore cannot be reached.
 */
function messageKey({ key }: RingKey, salt: Uint8Array): Buffer {
  return createHmac("sha256", key).update(salt).digest();
}

function opened(key: RingKey, sealed: Buffer, context: string): Buffer | undefined {
  const nonce = sealed.subarray(nonceAt, headerBytes);
  const decipher = createDecipheriv(cipher, messageKey(key, sealed.subarray(saltAt, nonceAt)), nonce, {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const plain = decipher.update(sealed.subarray(headerBytes, sealed.length - tagBytes));
  try {
    decipher.final();
    return plain;
  } catch {
    return undefined;
  }
}

/**
 * Encrypts values at rest. The first key encrypts and every key decrypts: to rotate a secret, put the new one first and keep the old one
 * until everything that it encrypted has expired.
 *
 * `context` is bound to the value as associated data and is not stored with it. It is the Redis key of the value, so that an encrypted
 * value cannot be moved to another key.
 *
 * The keys of the ring are derived from `secrets`, newest first, for one `purpose`. A value encrypted for one purpose cannot be decrypted for
 * another.
 *
 * @throws TypeError without a secret, or with an empty one.
 */
export function createKeyRing(secrets: readonly Secret[], purpose: string) {
  if (secrets.some(({ isEmpty }) => isEmpty)) throw new TypeError("an encryption secret is empty");
  const keys = secrets.map((secret) => derive(secret, purpose));
  const [first] = keys;
  if (first === undefined) throw new TypeError("a key ring needs a secret");
  const begin = Buffer.concat([Buffer.of(version), first.id]);
  return {
    /** AES-256-GCM; 49 bytes longer than `plain`. */
    seal: (plain: Uint8Array | string, context: string): Buffer => {
      const random = randomBytes(saltBytes + nonceBytes);
      const salt = random.subarray(0, saltBytes);
      const encrypt = createCipheriv(cipher, messageKey(first, salt), random.subarray(saltBytes), {
        authTagLength: tagBytes,
      });
      encrypt.setAAD(Buffer.from(context));
      const body = encrypt.update(typeof plain === "string" ? Buffer.from(plain) : plain);
      encrypt.final();
      return Buffer.concat([begin, random, body, encrypt.getAuthTag()]);
    },
    /** Undefined if no key of the ring encrypted this value in this context: truncated, modified, moved, or encrypted with a removed key. */
    open: (bytes: Uint8Array, context: string): Buffer | undefined => {
      const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (sealed.length < headerBytes + tagBytes || sealed[0] !== version) return undefined;
      const id = sealed.subarray(1, saltAt);
      for (const key of keys) {
        const plain = key.id.equals(id) ? opened(key, sealed, context) : undefined;
        if (plain !== undefined) return plain;
      }
      return undefined;
    },
  };
}
