import type { Argon2Password } from "./argon2.ts";
import type { BcryptPassword } from "./bcrypt.ts";
import type { CramMd5Password } from "./cram-md5.ts";
import type { CryptPassword } from "./crypt.ts";
import type { DigestPassword } from "./digest.ts";
import type { Md5CryptPassword } from "./md5-crypt.ts";
import type { Pbkdf2Password } from "./pbkdf2.ts";
import type { ScramPassword } from "./scram.ts";
import type { ShaCryptPassword } from "./sha-crypt.ts";

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
