/**
 * Whether a text is a stored password that can be verified, within the limits of `libs/shared/src/domain/passwords`. The rules are repeated
 * here because reading the configuration must not load the hashing libraries; a test compares the two.
 */
export function isPasswordHash(text: string): boolean {
  const [prefix = "", name = ""] = /^\{([A-Za-z0-9.-]{1,32})\}/.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  if (text.length > 1024) return false;
  if (prefix === "") return isArgon2(rest) || isCrypt(rest) || isPasslib(rest);
  return prefixed.get(name.toUpperCase())?.(rest) ?? false;
}

type Is = (text: string) => boolean;

const argon2 =
  /^\$argon2id?(?:\$v=(?:16|19))?\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{16,172})$/;
/** The last characters of salt and digest carry fewer bits than the others. */
const bcrypt = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;
const md5Crypt = /^\$(?:1|apr1)\$[!-#%-9;-~]{0,8}\$[./0-9A-Za-z]{22}$/;
const shaCrypt = /^\$([56])\$(?:rounds=(\d{1,9})\$)?[!-#%-9;-~]{0,64}\$([./0-9A-Za-z]+)$/;
const passlib = /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(\d{1,7})\$[A-Za-z0-9./]{0,128}\$([A-Za-z0-9./]{27,86})$/;
const dovecotPbkdf2 = /^\$1\$[!-#%-~]{1,64}\$(\d{1,7})\$[0-9a-fA-F]{40}$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;
const hex = /^(?:[0-9A-Fa-f]{2})*$/;

/** Base64 without padding, as its bytes would be written. */
const isCanonical: Is = (text) => Buffer.from(text, "base64").toString("base64").replaceAll("=", "") === text;

const isArgon2Cost = ([memory = 0, passes = 0, lanes = 0]: readonly number[]): boolean => {
  const isPossible = lanes >= 1 && lanes <= 255 && passes >= 1 && memory >= 8 * lanes;
  return isPossible && memory <= 1_048_576 && passes <= 32 && memory * passes <= 4_194_304;
};
const isArgon2: Is = (text) => {
  const [, ...parts] = argon2.exec(text) ?? [];
  return isArgon2Cost(parts.slice(0, 3).map(Number)) && parts.slice(3).every(isCanonical);
};
const isBcrypt: Is = (text) => {
  const [, cost = ""] = bcrypt.exec(text) ?? [];
  return Number(cost) >= 4 && Number(cost) <= 16;
};
const isShaCrypt: Is = (text) => {
  const [whole, id, rounds = "5000", digest = ""] = shaCrypt.exec(text) ?? [];
  return whole !== undefined && Number(rounds) <= 1_000_000 && digest.length === (id === "5" ? 43 : 86);
};
const isCrypt: Is = (text) => isShaCrypt(text) || isBcrypt(text) || md5Crypt.test(text);
const isIterations = (text: string): boolean => Number(text) >= 1 && Number(text) <= 5_000_000;
const isPasslib: Is = (text) => {
  const [whole, name = "sha1", iterations = "", digest = ""] = passlib.exec(text) ?? [];
  const bytes = { sha1: 20, sha256: 32, sha512: 64 }[name];
  return (
    whole !== undefined &&
    isIterations(iterations) &&
    Buffer.from(digest.replaceAll(".", "+"), "base64").length === bytes
  );
};
const isDovecotPbkdf2: Is = (text) => isIterations(dovecotPbkdf2.exec(text)?.[1] ?? "");
const isSalted =
  (digestBytes: number, encoding: "base64" | "hex"): Is =>
  (text) =>
    (encoding === "hex" ? hex : base64).test(text) && Buffer.from(text, encoding).length > digestBytes;

const prefixed: ReadonlyMap<string, Is> = new Map<string, Is>([
  ["ARGON2", isArgon2],
  ["ARGON2ID", (text) => text.startsWith("$argon2id$") && isArgon2(text)],
  ["ARGON2I", (text) => text.startsWith("$argon2i$") && isArgon2(text)],
  ["BLF-CRYPT", isBcrypt],
  ["CRYPT", isCrypt],
  ["MD5-CRYPT", (text) => md5Crypt.test(text)],
  ["PBKDF2", isDovecotPbkdf2],
  ["SHA256-CRYPT", (text) => text.startsWith("$5$") && isShaCrypt(text)],
  ["SHA512-CRYPT", (text) => text.startsWith("$6$") && isShaCrypt(text)],
  ...Object.entries({ SSHA: 20, SSHA256: 32, SSHA512: 64 }).flatMap(([name, bytes]): [string, Is][] => [
    [name, isSalted(bytes, "base64")],
    [`${name}.B64`, isSalted(bytes, "base64")],
    [`${name}.HEX`, isSalted(bytes, "hex")],
  ]),
]);
