import { pbkdf2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** PBKDF2 with HMAC (RFC 8018). */
export type Pbkdf2Password = NonNullable<ReturnType<typeof bounded>>;

/** Takes some seconds. */
const maxIterations = 5_000_000;
const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
/** passlib's format: `.` in place of `+`, no padding. */
const passlib = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(\d{1,7})\$([A-Za-z0-9./]{0,128})\$([A-Za-z0-9./]{27,86})$/;
/** The format of Dovecot's `{PBKDF2}`: the salt in plain text, the digest in hex. */
const dovecot = /^\$1\$([!-#%-~]{1,64})\$(\d{1,7})\$([0-9a-fA-F]{40})$/;
const derive = promisify(pbkdf2);

function bounded(algorithm: keyof typeof digestBytes, iterations: number, salt: Buffer, digest: Buffer) {
  const isPossible = iterations >= 1 && iterations <= maxIterations && digest.length === digestBytes[algorithm];
  return isPossible ? { scheme: "pbkdf2" as const, algorithm, iterations, salt, digest } : undefined;
}

function fromPasslib(text: string): Buffer {
  return Buffer.from(text.replaceAll(".", "+"), "base64");
}

/** passlib's `$pbkdf2$`, `$pbkdf2-sha256$` and `$pbkdf2-sha512$`. */
export function parsePasslibPbkdf2(text: string): Pbkdf2Password | undefined {
  const match = passlib.exec(text);
  if (match === null) return undefined;
  const [, name, iterations, salt = "", digest = ""] = match;
  const algorithm = name === "sha256" || name === "sha512" ? name : "sha1";
  return bounded(algorithm, Number(iterations), fromPasslib(salt), fromPasslib(digest));
}

/** The text after Dovecot's `{PBKDF2}`: `$1$salt$rounds$hex`, HMAC-SHA-1. */
export function parseDovecotPbkdf2(text: string): Pbkdf2Password | undefined {
  const match = dovecot.exec(text);
  if (match === null) return undefined;
  const [, salt = "", iterations, digest = ""] = match;
  return bounded("sha1", Number(iterations), Buffer.from(salt), Buffer.from(digest, "hex"));
}

/** Runs on the libuv pool. */
export async function verifyPbkdf2(stored: Pbkdf2Password, password: string): Promise<boolean> {
  const { salt, iterations, digest, algorithm } = stored;
  return timingSafeEqual(await derive(password, salt, iterations, digest.length, algorithm), digest);
}
