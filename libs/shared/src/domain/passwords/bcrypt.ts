import { verify } from "@node-rs/bcrypt";

export type BcryptPassword = NonNullable<ReturnType<typeof parseBcrypt>>;

/** Each step doubles the time; 16 takes about three seconds. */
const maxCost = 16;

/**
 * Exactly what the verifier can parse, because `verify` answers "does not match" for all other text. The last character of salt and of
 * digest carry two and four bits; the verifier refuses text whose unused bits are not zero.
 */
const encodedForm =
  /^\$2[aby]\$(?<cost>0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

export function parseBcrypt(text: string) {
  const cost = encodedForm.exec(text)?.groups?.["cost"];
  return cost !== undefined && Number(cost) <= maxCost ? { scheme: "bcrypt" as const, encoded: text } : undefined;
}

/**
 * Runs on the libuv pool. Like every bcrypt, it uses only the first 72 bytes of the password. C programs end a password at NUL, so no
 * password that contains NUL was ever stored: it does not match.
 */
export async function verifyBcrypt(stored: BcryptPassword, password: string): Promise<boolean> {
  return !password.includes("\0") && verify(password, stored.encoded);
}
