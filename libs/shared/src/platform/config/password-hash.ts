import {
  parseArgon2,
  parseMd5Crypt,
  parsePasslibPbkdf2,
  parseShaCrypt,
  prefixedFormats,
} from "../crypto/password-formats.ts";

/** The last characters of salt and digest carry fewer bits than the others. `domain/passwords` has the same form. */
const bcrypt = /^\$2[aby]\$(0[4-9]|1[0-6])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

const isCrypt = (text: string): boolean =>
  bcrypt.test(text) || (parseShaCrypt(text) ?? parseMd5Crypt(text)) !== undefined;

/**
 * Whether a text is a stored password that the configuration accepts: of the schemes that can be verified, MD5-CRYPT and those with a salt
 * that current tools write.
 */
export function isPasswordHash(text: string): boolean {
  const [prefix = "", name = ""] = /^\{([A-Za-z0-9.-]{1,32})\}/.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  if (text.length > 1024) return false;
  if (prefix === "") return isCrypt(rest) || (parseArgon2(rest) ?? parsePasslibPbkdf2(rest)) !== undefined;
  const scheme = name.toUpperCase();
  if (scheme === "BLF-CRYPT") return bcrypt.test(rest);
  return scheme === "CRYPT" ? isCrypt(rest) : prefixedFormats.get(scheme)?.(rest) !== undefined;
}
