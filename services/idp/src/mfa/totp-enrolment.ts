import { randomBytes } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const secretBytes = 20;

/** Base32 without padding (RFC 4648 §6), for lengths without left-over bits. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => alphabet[Number.parseInt(five, 2)]).join("");
}

/** 160 random bits, the length of the hash (RFC 4226 §4, R6). */
export function newTotpSecret(): string {
  return base32(randomBytes(secretBytes));
}

/** The content of the QR code: SHA-1, six digits, 30 s, which every app supports (Key URI Format). */
export function totpUrl(issuer: string, account: string, secret: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
  return `otpauth://totp/${label}?${query}`;
}

/** In groups of four, for typing. */
export function grouped(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(" ");
}
