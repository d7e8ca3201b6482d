import {
  digestKinds,
  parseArgon2,
  parseDigest,
  parseMd5Crypt,
  parsePasslibPbkdf2,
  parseShaCrypt,
  prefixedFormats,
} from "../../platform/crypto/password-formats.ts";
import { parseBcrypt } from "./bcrypt.ts";
import { parseCramMd5 } from "./cram-md5.ts";
import { parseCrypt, parseDesCrypt } from "./crypt.ts";
import { parseScram } from "./pbkdf2.ts";
import type { StoredPassword } from "./schemes.ts";
import { type UnverifiableReason, unverifiableReason } from "./unverifiable.ts";

type Parse = (text: string) => StoredPassword | undefined;

const maxStoredLength = 1024;

const parseAnyCrypt: Parse = (text) =>
  parseShaCrypt(text) ?? parseBcrypt(text) ?? parseMd5Crypt(text) ?? parseCrypt(text);
const parseBare: Parse = (text) => parseArgon2(text) ?? parseAnyCrypt(text) ?? parsePasslibPbkdf2(text);
/** Dovecot's `{MD5}`: `$1$`, or a digest without a salt. */
const parseMd5: Parse = (text) => parseMd5Crypt(text) ?? parseDigest(digestKinds["PLAIN-MD5"], undefined, text);
/** The Windows password hash, in hexadecimal. libcrypt knows it as `$3$`. */
const parseNtlm: Parse = (text) => parseCrypt(`$3$$${text.toLowerCase()}`);

/** `{SCHEME}` prefixes in capitals, as Dovecot and OpenLDAP write them; they are case-insensitive. */
const parsers: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  ...prefixedFormats,
  ["BLF-CRYPT", parseBcrypt],
  ["CRAM-MD5", parseCramMd5],
  ["CRYPT", (text) => parseAnyCrypt(text) ?? parseDesCrypt(text)],
  ["DES-CRYPT", parseDesCrypt],
  ["HMAC-MD5", parseCramMd5],
  ["MD5", parseMd5],
  ["NTLM", parseNtlm],
  ["SCRAM-SHA-1", (text) => parseScram("sha1", text)],
  ["SCRAM-SHA-256", (text) => parseScram("sha256", text)],
  ...Object.entries(digestKinds).flatMap(([name, kind]): [string, Parse][] => [
    [name, (text) => parseDigest(kind, undefined, text)],
    [`${name}.B64`, (text) => parseDigest(kind, "base64", text)],
    [`${name}.BASE64`, (text) => parseDigest(kind, "base64", text)],
    [`${name}.HEX`, (text) => parseDigest(kind, "hex", text)],
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

/** The default of current tools, Argon2id with 19 MiB and two passes: the assumed cost until others are learned. */
export const usualPassword: StoredPassword = usual();

function usual(): StoredPassword {
  const parsed = parseStoredPassword(`$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"A".repeat(43)}`);
  if (parsed === undefined) throw new TypeError("the built-in decoy password cannot be parsed");
  return parsed;
}
