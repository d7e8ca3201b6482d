import { timingSafeEqual } from "node:crypto";
import type { ShaCryptTask } from "./sha-crypt-digest.ts";

export type ShaCryptPassword = NonNullable<ReturnType<typeof parseShaCrypt>>;

const defaultRounds = 5000;
/** The specification treats lower values as this one. */
const minRounds = 1000;
const maxRounds = 1_000_000;
/** The specification uses only this many characters of a longer salt. */
const saltLength = 16;

const cryptString = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([!-#%-9;-~]{0,64})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/;

/** The crypt(3) formats `$5$` and `$6$` (U. Drepper, "Unix crypt using SHA-256 and SHA-512"). The digest stays in crypt's base64 variant. */
export function parseShaCrypt(text: string) {
  const match = cryptString.exec(text);
  if (match === null) return undefined;
  const [, id, roundsText, salt = "", digest = ""] = match;
  const rounds = roundsText === undefined ? defaultRounds : Math.max(Number(roundsText), minRounds);
  if (rounds > maxRounds || digest.length !== (id === "5" ? 43 : 86)) return undefined;
  const algorithm: ShaCryptTask["algorithm"] = id === "5" ? "sha256" : "sha512";
  return { scheme: "sha-crypt" as const, algorithm, rounds, salt: salt.slice(0, saltLength), digest };
}

/**
 * `computeDigest` runs the rounds in another thread, because they take milliseconds of JavaScript. crypt(3) ends a password at NUL, so no
 * password that contains NUL was ever stored: it does not match.
 */
export async function verifyShaCrypt(
  stored: ShaCryptPassword,
  password: string,
  computeDigest: (task: ShaCryptTask) => Promise<string>,
): Promise<boolean> {
  if (password.includes("\0")) return false;
  const { algorithm, rounds, salt } = stored;
  const digest = await computeDigest({ algorithm, rounds, salt, password });
  return timingSafeEqual(Buffer.from(digest), Buffer.from(stored.digest));
}
