import { timingSafeEqual } from "node:crypto";
import { hash, hashRaw } from "@node-rs/argon2";
import type { Argon2Password } from "../../platform/crypto/password-formats.ts";

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
