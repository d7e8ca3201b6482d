import { parseStoredPassword } from "./parse-stored-password.ts";
import type { StoredPassword } from "./stored-password.ts";

/** The default of current tools, Argon2id with 19 MiB and two passes: the assumed cost until others are learned. */
export const usualPassword: StoredPassword = usual();

function usual(): StoredPassword {
  const parsed = parseStoredPassword(`$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`);
  if (parsed === undefined) throw new TypeError("the built-in decoy password cannot be parsed");
  return parsed;
}
