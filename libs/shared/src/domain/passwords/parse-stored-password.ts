import { parseArgon2 } from "./argon2.ts";
import { parseBcrypt } from "./bcrypt.ts";
import { parseMd5Crypt } from "./md5-crypt.ts";
import { parseDovecotPbkdf2, parsePasslibPbkdf2 } from "./pbkdf2.ts";
import { parseSaltedSha } from "./salted-sha.ts";
import { parseShaCrypt } from "./sha-crypt.ts";
import type { StoredPassword } from "./stored-password.ts";
import { type UnverifiableReason, unverifiableReason } from "./unverifiable.ts";

type Parse = (text: string) => StoredPassword | undefined;

const maxStoredLength = 1024;

const parseCrypt: Parse = (text) => parseShaCrypt(text) ?? parseBcrypt(text) ?? parseMd5Crypt(text);
const parseBare: Parse = (text) => parseArgon2(text) ?? parseCrypt(text) ?? parsePasslibPbkdf2(text);

/** `{SCHEME}` prefixes in capitals, as Dovecot and OpenLDAP write them; they are case-insensitive. */
const parsers: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ["ARGON2", parseArgon2],
  ["ARGON2ID", (text) => (text.startsWith("$argon2id$") ? parseArgon2(text) : undefined)],
  ["ARGON2I", (text) => (text.startsWith("$argon2i$") ? parseArgon2(text) : undefined)],
  ["BLF-CRYPT", parseBcrypt],
  ["CRYPT", parseCrypt],
  ["MD5-CRYPT", parseMd5Crypt],
  ["PBKDF2", parseDovecotPbkdf2],
  ["SHA256-CRYPT", (text) => (text.startsWith("$5$") ? parseShaCrypt(text) : undefined)],
  ["SHA512-CRYPT", (text) => (text.startsWith("$6$") ? parseShaCrypt(text) : undefined)],
  ...(["SSHA", "SSHA256", "SSHA512"] as const).flatMap((name): [string, Parse][] => [
    [name, (text) => parseSaltedSha(name, "base64", text)],
    [`${name}.B64`, (text) => parseSaltedSha(name, "base64", text)],
    [`${name}.HEX`, (text) => parseSaltedSha(name, "hex", text)],
  ]),
]);

/**
 * Parses a backend's stored password. Undefined for a locked marker, an unknown scheme, damaged text, and parameters whose verification
 * would cost too much. Never throws.
 */
export function parseStoredPassword(text: string): StoredPassword | undefined {
  if (text.length > maxStoredLength) return undefined;
  const prefixed = /^\{([A-Za-z0-9.-]+)\}/.exec(text);
  if (prefixed === null) return parseBare(text);
  const [prefix, name = ""] = prefixed;
  return parsers.get(name.toUpperCase())?.(text.slice(prefix.length));
}

/** The stored password, or why it can never be verified. Never throws. */
export function readStoredPassword(text: string): StoredPassword | UnverifiableReason {
  return parseStoredPassword(text) ?? unverifiableReason(text, (name) => parsers.has(name.toUpperCase()));
}
