import type { Argon2Password } from "./argon2.ts";
import type { BcryptPassword } from "./bcrypt.ts";
import type { Md5CryptPassword } from "./md5-crypt.ts";
import type { Pbkdf2Password } from "./pbkdf2.ts";
import type { SaltedShaPassword } from "./salted-sha.ts";
import type { ShaCryptPassword } from "./sha-crypt.ts";

/** A stored password that was parsed and whose verification is affordable. */
export type StoredPassword =
  | Argon2Password
  | BcryptPassword
  | Md5CryptPassword
  | Pbkdf2Password
  | SaltedShaPassword
  | ShaCryptPassword;
