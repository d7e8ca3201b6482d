import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { typedCode } from "@postern/shared/contracts";

/** Runs in the thread pool; the caller limits how many run concurrently. */
const derive: (code: string, salt: Buffer, length: number, options: ScryptCost) => Promise<Buffer> = promisify(scrypt);

interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly maxmem: number;
}

/** RFC 7914: 16 MiB, about 40 ms. A code has about 39 bits, too few for a fast hash. */
const cost: ScryptCost = { N: 16_384, r: 8, p: 1, maxmem: 32 * 1024 * 1024 };
const saltBytes = 16;
const digestBytes = 32;
const stored = /^\{SCRYPT-14-8-1\}([A-Za-z0-9_-]{22})\$([A-Za-z0-9_-]{43})$/;
/** Postern writes one salt per set, and a new set replaces the old one: more salts come from another writer. */
const maxSalts = 2;

/**
 * The stored form of a set of codes: one salt for the set, so that checking a code costs one derivation instead of one
 * per code.
 */
export async function hashRecoveryCodes(codes: readonly string[]): Promise<readonly string[]> {
  const salt = randomBytes(saltBytes);
  const hashed: string[] = [];
  for (const code of new Set(codes.map(typedCode))) {
    const digest = await derive(code, salt, digestBytes, cost);
    hashed.push(`{SCRYPT-14-8-1}${salt.toString("base64url")}$${digest.toString("base64url")}`);
  }
  return hashed;
}

function equal(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

/** The stored text that matches the code: one of our hashes, or a plain code of a provisioning system. */
export async function matchRecoveryCode(code: string, storedCodes: readonly string[]): Promise<string | undefined> {
  const normalised = typedCode(code);
  if (normalised === "") return undefined;
  const digests = new Map<string, Buffer>();
  for (const text of storedCodes) {
    const [, salt, digest] = stored.exec(text) ?? [];
    if (salt === undefined || digest === undefined) {
      if (!text.startsWith("{") && equal(Buffer.from(typedCode(text)), Buffer.from(normalised))) return text;
      continue;
    }
    if (!digests.has(salt) && digests.size >= maxSalts) continue;
    const derived = digests.get(salt) ?? (await derive(normalised, Buffer.from(salt, "base64url"), digestBytes, cost));
    digests.set(salt, derived);
    if (equal(derived, Buffer.from(digest, "base64url"))) return text;
  }
  return undefined;
}
