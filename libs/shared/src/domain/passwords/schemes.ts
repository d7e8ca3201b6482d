import { type Argon2Password, verifyArgon2 } from "./argon2.ts";
import { type BcryptPassword, verifyBcrypt } from "./bcrypt.ts";
import { type CramMd5Password, verifyCramMd5 } from "./cram-md5.ts";
import { type CryptPassword, verifyCrypt } from "./crypt.ts";
import type { CryptThreads } from "./crypt-threads.ts";
import { type DigestPassword, verifyDigest } from "./digest.ts";
import { type Md5CryptPassword, verifyMd5Crypt } from "./md5-crypt.ts";
import { type Pbkdf2Password, verifyPbkdf2 } from "./pbkdf2.ts";
import { type ScramPassword, verifyScram } from "./scram.ts";
import { type ShaCryptPassword, verifyShaCrypt } from "./sha-crypt.ts";

interface Passwords {
  readonly argon2: Argon2Password;
  readonly bcrypt: BcryptPassword;
  readonly "cram-md5": CramMd5Password;
  readonly crypt: CryptPassword;
  readonly digest: DigestPassword;
  readonly "md5-crypt": Md5CryptPassword;
  readonly pbkdf2: Pbkdf2Password;
  readonly scram: ScramPassword;
  readonly "sha-crypt": ShaCryptPassword;
}

type Scheme = keyof Passwords;
type PasswordOf<Name extends Scheme> = { readonly [One in Name]: Passwords[One] & { readonly scheme: One } }[Name];

/** A stored password that was parsed and whose verification is affordable. */
export type StoredPassword = PasswordOf<Scheme>;

type SchemeEntry<Stored> = readonly [
  verify: (stored: Stored, password: string, threads: CryptThreads) => boolean | Promise<boolean>,
  /** What the cost of a verification depends on. */
  cost: (stored: Stored) => readonly (string | number)[],
];

const schemes: { readonly [Name in Scheme]: SchemeEntry<Passwords[Name]> } = {
  argon2: [
    verifyArgon2,
    ({ parameters: { algorithm, memoryCost, timeCost, parallelism }, digest }) => [
      algorithm ?? "",
      memoryCost,
      timeCost,
      parallelism,
      digest.length,
    ],
  ],
  bcrypt: [verifyBcrypt, ({ encoded }) => [encoded.slice(4, 6)]],
  "cram-md5": [verifyCramMd5, () => []],
  crypt: [
    (stored, password, threads) => verifyCrypt(stored, password, (task) => threads.computeCrypt(task)),
    ({ method }) => [method],
  ],
  digest: [verifyDigest, ({ algorithm }) => [algorithm]],
  "md5-crypt": [verifyMd5Crypt, () => []],
  pbkdf2: [verifyPbkdf2, ({ algorithm, iterations }) => [algorithm, iterations]],
  scram: [verifyScram, ({ algorithm, iterations }) => [algorithm, iterations]],
  "sha-crypt": [
    (stored, password, threads) => verifyShaCrypt(stored, password, (task) => threads.computeShaCrypt(task)),
    ({ algorithm, rounds }) => [algorithm, rounds],
  ],
};

/** Compares a password with a stored one. */
export async function verifyStored<Name extends Scheme>(
  stored: PasswordOf<Name>,
  password: string,
  threads: CryptThreads,
): Promise<boolean> {
  const [verify] = schemes[stored.scheme];
  return verify(stored, password, threads);
}

/** Stored passwords of the same class cost the same. */
export function costClass<Name extends Scheme>(stored: PasswordOf<Name>): string {
  const [, cost] = schemes[stored.scheme];
  return [stored.scheme, ...cost(stored)].join(" ");
}
