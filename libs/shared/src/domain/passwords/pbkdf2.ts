import { createHash, createHmac, pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Pbkdf2Password } from "../../platform/crypto/password-formats.ts";

const derive = promisify(pbkdf2);

/** Runs on the libuv pool. */
export async function verifyPbkdf2(stored: Pbkdf2Password, password: string): Promise<boolean> {
  const { salt, iterations, digest, algorithm } = stored;
  return timingSafeEqual(await derive(password, salt, iterations, digest.length, algorithm), digest);
}

export type ScramPassword = NonNullable<ReturnType<typeof parseScram>>;

const form = /^(\d{1,8}),([A-Za-z0-9+/]+={0,2}),([A-Za-z0-9+/]+={0,2}),([A-Za-z0-9+/]+={0,2})$/;
/** About a second of one core. */
const maxIterations = 2_000_000;
const keyBytes = { sha1: 20, sha256: 32 } as const;

/** `{SCRAM-SHA-1}` and `{SCRAM-SHA-256}` (RFC 5803, in Dovecot's form): iterations, salt, stored key and server key. */
export function parseScram(algorithm: keyof typeof keyBytes, text: string) {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, count, salt = "", key = ""] = match;
  const iterations = Number(count);
  const storedKey = Buffer.from(key, "base64");
  if (iterations < 1 || iterations > maxIterations || storedKey.length !== keyBytes[algorithm]) return undefined;
  return { scheme: "scram" as const, algorithm, iterations, salt: Buffer.from(salt, "base64"), storedKey };
}

/** RFC 5802 section 3: StoredKey is the digest of ClientKey. */
export async function verifyScram(
  { algorithm, iterations, salt, storedKey }: ScramPassword,
  password: string,
): Promise<boolean> {
  const salted = await derive(password, salt, iterations, keyBytes[algorithm], algorithm);
  const clientKey = createHmac(algorithm, salted).update("Client Key").digest();
  return timingSafeEqual(createHash(algorithm).update(clientKey).digest(), storedKey);
}
