import { type Argon2Password, verifyArgon2 } from "./argon2.ts";
import { type BcryptPassword, verifyBcrypt } from "./bcrypt.ts";
import { type CramMd5Password, verifyCramMd5 } from "./cram-md5.ts";
import { type CryptPassword, verifyCrypt } from "./crypt.ts";
import { type DigestPassword, verifyDigest } from "./digest.ts";
import { type Md5CryptPassword, verifyMd5Crypt } from "./md5-crypt.ts";
import { type Pbkdf2Password, verifyPbkdf2 } from "./pbkdf2.ts";
import { type ScramPassword, verifyScram } from "./scram.ts";
import { type ShaCryptPassword, verifyShaCrypt } from "./sha-crypt.ts";
import type { CryptThreads } from "./verifier.ts";

/** A stored password that was parsed and whose verification is affordable. */
export type StoredPassword =
  | Argon2Password
  | BcryptPassword
  | CramMd5Password
  | CryptPassword
  | DigestPassword
  | Md5CryptPassword
  | Pbkdf2Password
  | ScramPassword
  | ShaCryptPassword;

/** Compares a password with a stored one. */
export async function verifyStored(stored: StoredPassword, password: string, threads: CryptThreads): Promise<boolean> {
  switch (stored.scheme) {
    case "argon2":
      return verifyArgon2(stored, password);
    case "bcrypt":
      return verifyBcrypt(stored, password);
    case "cram-md5":
      return verifyCramMd5(stored, password);
    case "crypt":
      return verifyCrypt(stored, password, threads.computeCrypt);
    case "digest":
      return verifyDigest(stored, password);
    case "md5-crypt":
      return verifyMd5Crypt(stored, password);
    case "pbkdf2":
      return verifyPbkdf2(stored, password);
    case "scram":
      return verifyScram(stored, password);
    case "sha-crypt":
      return verifyShaCrypt(stored, password, threads.computeShaCrypt);
  }
}

/** What the cost of a verification depends on. */
function costOf(stored: StoredPassword): readonly (string | number)[] {
  switch (stored.scheme) {
    case "argon2": {
      const { algorithm, memoryCost, timeCost, parallelism } = stored.parameters;
      return [algorithm, memoryCost, timeCost, parallelism, stored.digest.length];
    }
    case "bcrypt":
      return [stored.encoded.slice(4, 6)];
    case "crypt":
      return [stored.method];
    case "digest":
      return [stored.algorithm];
    case "pbkdf2":
    case "scram":
      return [stored.algorithm, stored.iterations];
    case "sha-crypt":
      return [stored.algorithm, stored.rounds];
    case "cram-md5":
    case "md5-crypt":
      return [];
  }
}

/** Stored passwords of the same class cost the same. */
export function costClass(stored: StoredPassword): string {
  return [stored.scheme, ...costOf(stored)].join(" ");
}
