/**
 * Formats of stored passwords, within the costs that can be verified. Parsing loads no hashing library, so that reading a configuration needs
 * none; `domain/passwords` verifies passwords, and knows further formats.
 */

const maxMemoryKib = 1024 * 1024;
const maxPasses = 32;
/** The library's maximum; the RFC allows more. */
const maxLanes = 255;
/** The cost of a verification is memory times passes; at this limit it takes about a second. */
const maxFilledKib = 4 * maxMemoryKib;

const phcString =
  /^\$(argon2id?)(?:\$v=(16|19))?\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/;

/** Base64 without padding, as its bytes would be written. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64").replaceAll("=", "") === text ? bytes : undefined;
}

function isAffordable(memory: number, passes: number, lanes: number): boolean {
  const isBounded = memory <= maxMemoryKib && passes <= maxPasses && memory * passes <= maxFilledKib;
  return isBounded && lanes <= maxLanes && memory >= 8 * lanes;
}

/**
 * Argon2i or Argon2id (RFC 9106) as a PHC string. Without `v=` it is version 16, which precedes the RFC. Algorithm and version are the
 * library's numbers.
 */
export function parseArgon2(text: string) {
  const match = phcString.exec(text);
  if (match === null) return undefined;
  const [memoryCost = 0, timeCost = 0, parallelism = 0] = match.slice(3, 6).map(Number);
  const [salt, digest] = match.slice(6).map(bytesOf);
  if (salt === undefined || digest === undefined || !isAffordable(memoryCost, timeCost, parallelism)) return undefined;
  const [algorithm, version] = [match[1] === "argon2id" ? 2 : 1, match[2] === "19" ? 1 : 0];
  return {
    scheme: "argon2" as const,
    parameters: { algorithm, version, memoryCost, timeCost, parallelism },
    salt,
    digest,
  };
}

export type Argon2Password = NonNullable<ReturnType<typeof parseArgon2>>;

const md5CryptString = /^(\$1\$|\$apr1\$)([!-#%-9;-~]{0,8})\$([./0-9A-Za-z]{22})$/;

/**
 * The crypt(3) format `$1$` of FreeBSD (P.-H. Kamp, 1994), and Apache's `$apr1$`. Weak, but still found in old tables. The
 * digest stays in crypt's base64 variant: 22 characters.
 */
export function parseMd5Crypt(text: string) {
  const match = md5CryptString.exec(text);
  if (match === null) return undefined;
  const [, magic = "", salt = "", digest = ""] = match;
  return { scheme: "md5-crypt" as const, magic, salt, digest };
}

export type Md5CryptPassword = NonNullable<ReturnType<typeof parseMd5Crypt>>;

const defaultShaRounds = 5000;
/** The specification treats lower values as this one. */
const minShaRounds = 1000;
const maxShaRounds = 1_000_000;
/** The specification uses only this many characters of a longer salt. */
const saltLength = 16;

const shaCryptString = /^\$([56])\$(?:rounds=(\d{1,9})\$)?([!-#%-9;-~]{0,64})\$([./0-9A-Za-z]{43}|[./0-9A-Za-z]{86})$/;

/** The crypt(3) formats `$5$` and `$6$` (U. Drepper, "Unix crypt using SHA-256 and SHA-512"). The digest stays in crypt's base64 variant. */
export function parseShaCrypt(text: string) {
  const match = shaCryptString.exec(text);
  if (match === null) return undefined;
  const [, id, roundsText, salt = "", digest = ""] = match;
  const rounds = roundsText === undefined ? defaultShaRounds : Math.max(Number(roundsText), minShaRounds);
  if (rounds > maxShaRounds || digest.length !== (id === "5" ? 43 : 86)) return undefined;
  const algorithm = id === "5" ? ("sha256" as const) : ("sha512" as const);
  return { scheme: "sha-crypt" as const, algorithm, rounds, salt: salt.slice(0, saltLength), digest };
}

export type ShaCryptPassword = NonNullable<ReturnType<typeof parseShaCrypt>>;

/** Takes some seconds. */
const maxIterations = 5_000_000;
const pbkdf2Bytes = { sha1: 20, sha256: 32, sha512: 64 } as const;
/** passlib's format: `.` in place of `+`, no padding. */
const passlib = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(\d{1,7})\$([A-Za-z0-9./]{0,128})\$([A-Za-z0-9./]{27,86})$/;
/** The format of Dovecot's `{PBKDF2}`: the salt in plain text, the digest in hex. */
const dovecot = /^\$1\$([!-#%-~]{1,64})\$(\d{1,7})\$([0-9a-fA-F]{40})$/;

function pbkdf2Password(algorithm: keyof typeof pbkdf2Bytes, iterations: number, salt: Buffer, digest: Buffer) {
  const isPossible = iterations >= 1 && iterations <= maxIterations && digest.length === pbkdf2Bytes[algorithm];
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
  return pbkdf2Password(algorithm, Number(iterations), fromPasslib(salt), fromPasslib(digest));
}

/** The text after Dovecot's `{PBKDF2}`: `$1$salt$rounds$hex`, HMAC-SHA-1. */
function parseDovecotPbkdf2(text: string): Pbkdf2Password | undefined {
  const match = dovecot.exec(text);
  if (match === null) return undefined;
  const [, salt = "", iterations, digest = ""] = match;
  return pbkdf2Password("sha1", Number(iterations), Buffer.from(salt), Buffer.from(digest, "hex"));
}

/** PBKDF2 with HMAC (RFC 8018). */
export type Pbkdf2Password = NonNullable<ReturnType<typeof pbkdf2Password>>;

type DigestAlgorithm = "md4" | "md5" | "sha1" | "sha256" | "sha512";
const kind = (algorithm: DigestAlgorithm, digestBytes: number, isSalted: boolean) => ({
  algorithm,
  digestBytes,
  isSalted,
});

type DigestKind = ReturnType<typeof kind>;

/** The keys are Dovecot's names of the schemes. */
export const digestKinds = {
  SSHA: kind("sha1", 20, true),
  SSHA256: kind("sha256", 32, true),
  SSHA512: kind("sha512", 64, true),
  SMD5: kind("md5", 16, true),
  SHA: kind("sha1", 20, false),
  SHA1: kind("sha1", 20, false),
  SHA256: kind("sha256", 32, false),
  SHA512: kind("sha512", 64, false),
  "LDAP-MD5": kind("md5", 16, false),
  "PLAIN-MD5": kind("md5", 16, false),
  "PLAIN-MD4": kind("md4", 16, false),
} as const;

const base64Text = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const hexText = /^(?:[0-9A-Fa-f]{2})*$/;

function encodingOf(text: string, { digestBytes, isSalted }: DigestKind): "base64" | "hex" {
  return !isSalted && text.length === 2 * digestBytes && hexText.test(text) ? "hex" : "base64";
}

/**
 * `text` is what follows the `{…}` prefix: the digest, then the salt. Without a stated encoding, it is base64, or hexadecimal if a digest
 * without a salt has that length.
 */
export function parseDigest(kindOf: DigestKind, stated: "base64" | "hex" | undefined, text: string) {
  const { algorithm, digestBytes, isSalted } = kindOf;
  const encoding = stated ?? encodingOf(text, kindOf);
  if (!(encoding === "hex" ? hexText : base64Text).test(text)) return undefined;
  const bytes = Buffer.from(text, encoding);
  if (isSalted ? bytes.length <= digestBytes : bytes.length !== digestBytes) return undefined;
  const [digest, salt] = [bytes.subarray(0, digestBytes), bytes.subarray(digestBytes)];
  return { scheme: "digest" as const, algorithm, digest, salt };
}

/** Digest of the password and a salt in one round: `{SSHA}` of RFC 2307, its variants, and those without a salt, whose salt is empty. */
export type DigestPassword = NonNullable<ReturnType<typeof parseDigest>>;

export type FormattedPassword = Argon2Password | DigestPassword | Md5CryptPassword | Pbkdf2Password | ShaCryptPassword;

type Parse = (text: string) => FormattedPassword | undefined;

/** What follows the `{SCHEME}` prefixes, in capitals, as Dovecot and OpenLDAP write them. */
export const prefixedFormats: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ["ARGON2", parseArgon2],
  ["ARGON2ID", (text) => (text.startsWith("$argon2id$") ? parseArgon2(text) : undefined)],
  ["ARGON2I", (text) => (text.startsWith("$argon2i$") ? parseArgon2(text) : undefined)],
  ["MD5-CRYPT", parseMd5Crypt],
  ["PBKDF2", parseDovecotPbkdf2],
  ["SHA256-CRYPT", (text) => (text.startsWith("$5$") ? parseShaCrypt(text) : undefined)],
  ["SHA512-CRYPT", (text) => (text.startsWith("$6$") ? parseShaCrypt(text) : undefined)],
  ...(["SSHA", "SSHA256", "SSHA512"] as const).flatMap((name): [string, Parse][] => [
    [name, (text) => parseDigest(digestKinds[name], undefined, text)],
    [`${name}.B64`, (text) => parseDigest(digestKinds[name], "base64", text)],
    [`${name}.HEX`, (text) => parseDigest(digestKinds[name], "hex", text)],
  ]),
]);
