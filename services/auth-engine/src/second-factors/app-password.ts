import { hash, randomBytes } from "node:crypto";

/**
 * The form of an app password: `app-` and 30 characters in groups of six, of which the last four are a checksum of the
 * others, as in `app-k3mzq7-…`. 26 characters of an alphabet of 32 are 130 random bits, so a plain digest is safe.
 * Case, hyphens and spaces are ignored, because people type app passwords from a page. A password that a user chose has
 * this form once in a million, even if it begins with `app` and has the right length and letters.
 */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const randomLength = 26;
const checksumLength = 4;
const form = /^app([a-km-np-z2-9]{30})$/;
/** Shorter and longer passwords cannot have the form and are not searched. */
const minLength = 33;
const maxLength = 64;

function digestOf(purpose: string, text: string): Buffer {
  return hash("sha256", `postern app password ${purpose}\0${text}`, "buffer");
}

/** 256 is a multiple of 32, so all characters are equally likely. */
function toCharacters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

function checksumOf(random: string): string {
  return toCharacters(digestOf("checksum", random).subarray(0, checksumLength));
}

/** A new app password as its owner sees it, with the digest to store. */
export function makeAppPassword(): { readonly password: string; readonly digest: string } {
  const random = toCharacters(randomBytes(randomLength));
  const groups = (random + checksumOf(random)).match(/.{6}/g) ?? [];
  return { password: ["app", ...groups].join("-"), digest: digestOf("value", random).toString("base64url") };
}

/** The digest under which an app password is stored; undefined for a password of another form. */
export function appPasswordDigest(password: string): string | undefined {
  if (password.length < minLength || password.length > maxLength) return undefined;
  const match = form.exec(password.toLowerCase().replace(/[\s-]/g, ""));
  if (match?.[1] === undefined) return undefined;
  const random = match[1].slice(0, randomLength);
  if (checksumOf(random) !== match[1].slice(randomLength)) return undefined;
  return digestOf("value", random).toString("base64url");
}
