import type { Argon2Password } from "./argon2.ts";
import type { BcryptPassword } from "./bcrypt.ts";
import type { SaltedShaPassword } from "./salted-sha.ts";
import type { ShaCryptPassword } from "./sha-crypt.ts";

/** A stored password that was read and found affordable to verify. */
export type StoredPassword = Argon2Password | BcryptPassword | SaltedShaPassword | ShaCryptPassword;
