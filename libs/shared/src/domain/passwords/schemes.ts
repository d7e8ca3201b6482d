import { Piscina } from "piscina";
import type { FormattedPassword } from "../../platform/crypto/password-formats.ts";
import { verifyArgon2 } from "./argon2.ts";
import { type BcryptPassword, verifyBcrypt } from "./bcrypt.ts";
import { type CramMd5Password, verifyCramMd5 } from "./cram-md5.ts";
import { type CryptPassword, verifyCrypt } from "./crypt.ts";
import type { CryptTask } from "./crypt-worker.ts";
import { verifyDigest } from "./digest.ts";
import { verifyMd5Crypt } from "./md5-crypt.ts";
import { type ScramPassword, verifyPbkdf2, verifyScram } from "./pbkdf2.ts";
import { type ShaCryptTask, verifyShaCrypt } from "./sha-crypt.ts";

/** Threads start with the first such password and end after half a minute without one. */
const idleTimeoutMs = 30_000;

/** Threads for hashes that take milliseconds of JavaScript, or that only crypt(3) computes. */
export function createCryptThreads(maxThreads: number) {
  let threads: Piscina<ShaCryptTask | CryptTask, string> | undefined;
  const run = (task: ShaCryptTask | CryptTask, name: string): Promise<string> => {
    threads ??= new Piscina({ filename: workerUrl(), minThreads: 0, maxThreads, idleTimeout: idleTimeoutMs });
    return threads.run(task, { name });
  };
  return {
    computeShaCrypt: (task: ShaCryptTask): Promise<string> => run(task, "computeShaCryptDigest"),
    /** What crypt(3) makes of the password; empty if it refuses. Rejects if the system has no libcrypt. */
    computeCrypt: (task: CryptTask): Promise<string> => run(task, "computeCrypt"),
    async close(): Promise<void> {
      await threads?.destroy();
    },
  };
}

type CryptThreads = ReturnType<typeof createCryptThreads>;

/** The worker is TypeScript when run from source and JavaScript in the build: it has the extension of this file. */
function workerUrl(): string {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./crypt-worker.${ending}`, import.meta.url).href;
}

/** A stored password that was parsed and whose verification is affordable. */
export type StoredPassword = FormattedPassword | BcryptPassword | CramMd5Password | CryptPassword | ScramPassword;

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
