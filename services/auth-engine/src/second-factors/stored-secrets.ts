import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import { typedCode } from "@postern/shared/contracts";
import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";

const mark = "{SEALED}";
/**
 * The associated data is the same for all accounts: secrets may be provisioned in plain text, so a writer of another
 * account's row gains nothing by moving an encrypted one, and a renamed account keeps its second factor.
 */
const context = "totp-secret";
/** RFC 4226 requires 16 bytes, but secrets of 10 bytes are in wide use. */
const base32 = /^[A-Z2-7]{16,256}$/;

function bareSecret(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, "").replace(/=+$/, "");
}

/** Base32 without spaces and padding, or an otpauth URL unchanged; undefined for anything else. */
export function readTotpSecret(text: string): string | undefined {
  if (/^otpauth:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isTotp = url?.host.toLowerCase() === "totp";
    return isTotp && base32.test(bareSecret(url.searchParams.get("secret") ?? "")) ? text : undefined;
  }
  const bare = bareSecret(text);
  return base32.test(bare) ? bare : undefined;
}

export function sealTotpSecret(secret: string, ring: KeyRing): string {
  return mark + ring.seal(secret, context).toString("base64url");
}

/** @throws AppError DIRECTORY_DATA if no key decrypts it: the state is unknown, never "has no second factor". */
export function openTotpSecret(stored: string, ring: KeyRing | undefined): string {
  if (!stored.startsWith(mark)) return stored;
  const opened = ring?.open(Buffer.from(stored.slice(mark.length), "base64url"), context);
  if (opened !== undefined) return opened.toString();
  throw new AppError("DIRECTORY_DATA", { detail: "no encryption key decrypts a stored TOTP secret" });
}

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
