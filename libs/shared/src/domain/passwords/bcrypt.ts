import { parseOptions, verify } from "@node-rs/bcrypt";

export interface BcryptPassword {
  readonly scheme: "bcrypt";
  readonly encoded: string;
}

/** Each step doubles the time; 16 takes about three seconds. */
const maxCost = 16;

export function parseBcrypt(text: string): BcryptPassword | undefined {
  if (!/^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/.test(text)) return undefined;
  const cost = readCost(text);
  return cost !== undefined && cost <= maxCost ? { scheme: "bcrypt", encoded: text } : undefined;
}

/** Uses the verifier's own parser, because `verify` would answer "does not match" for text that it cannot parse. */
function readCost(text: string): number | undefined {
  try {
    return parseOptions(text).cost;
  } catch {
    return undefined;
  }
}

/**
 * Runs on the libuv pool. Like every bcrypt, it uses only the first 72 bytes of the password. C programs end a password at NUL, so no
 * password that contains NUL was ever stored: it does not match.
 */
export async function verifyBcrypt(stored: BcryptPassword, password: string): Promise<boolean> {
  return !password.includes("\0") && verify(password, stored.encoded);
}
