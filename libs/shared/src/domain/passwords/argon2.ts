import { timingSafeEqual } from "node:crypto";
import { hash, hashRaw, type ParsedHashOptions, parseOptions } from "@node-rs/argon2";

export type Argon2Password = NonNullable<ReturnType<typeof parseArgon2>>;

const maxMemoryKib = 1024 * 1024;
const maxPasses = 32;
/** The library's maximum; the RFC allows more. */
const maxLanes = 255;
/** The cost of a verification is memory times passes; at this limit it takes about a second. */
const maxFilledKib = 4 * maxMemoryKib;

const phcString =
  /^\$argon2id?(?:\$v=\d+)?\$m=\d{1,10},t=\d{1,10},p=\d{1,3}\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/;

/** Argon2i or Argon2id (RFC 9106) as a PHC string. Without `v=` it is version 16, which precedes the RFC. */
export function parseArgon2(text: string) {
  const match = phcString.exec(text);
  const parameters = match === null ? undefined : readParameters(text);
  if (parameters === undefined || !isAffordable(parameters)) return undefined;
  const [, salt = "", digest = ""] = match ?? [];
  return {
    scheme: "argon2" as const,
    parameters,
    salt: Buffer.from(salt, "base64"),
    digest: Buffer.from(digest, "base64"),
  };
}

function readParameters(text: string): ParsedHashOptions | undefined {
  try {
    return parseOptions(text);
  } catch {
    return undefined;
  }
}

function isAffordable({ memoryCost, timeCost, parallelism }: ParsedHashOptions): boolean {
  const isPossible = parallelism >= 1 && parallelism <= maxLanes && timeCost >= 1 && memoryCost >= 8 * parallelism;
  const isBounded = memoryCost <= maxMemoryKib && timeCost <= maxPasses && memoryCost * timeCost <= maxFilledKib;
  return isPossible && isBounded;
}

/** Runs on the libuv pool. */
export async function verifyArgon2({ parameters, salt, digest }: Argon2Password, password: string): Promise<boolean> {
  const { algorithm, version, memoryCost, timeCost, parallelism } = parameters;
  const options = { algorithm, version, memoryCost, timeCost, parallelism, outputLen: digest.length, salt };
  return timingSafeEqual(await hashRaw(password, options), digest);
}

/** OWASP's second choice for Argon2id: 19 MiB, two passes. */
const current = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** An Argon2 hash of at least the current cost is not upgraded. */
export function isCurrentArgon2({ parameters }: Argon2Password): boolean {
  return parameters.memoryCost * parameters.timeCost >= current.memoryCost * current.timeCost;
}

/** Returns a PHC string of Argon2id, the library's default. Runs on the libuv pool. */
export function hashArgon2(password: string, signal?: AbortSignal): Promise<string> {
  return hash(password, current, signal);
}
