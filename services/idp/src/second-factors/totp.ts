import { randomBytes } from "node:crypto";
import { typedCode } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import { createGuardrails, verifySync } from "otplib";

/** Stored secrets of 10 bytes must work, because every app accepted them (ADR 0059). */
const guardrails = createGuardrails({ MIN_SECRET_BYTES: 10 });
const stepSeconds = 30;

interface TotpKey {
  readonly secret: string;
  readonly digits: 6 | 8;
  readonly algorithm: "sha1" | "sha256" | "sha512";
}

function algorithmOf(name: string | null): TotpKey["algorithm"] {
  const lower = name?.toLowerCase();
  return lower === "sha256" || lower === "sha512" ? lower : "sha1";
}

const bare = (text: string): string => text.replaceAll(/[\s=-]/g, "").toUpperCase();

/**
 * Reads a stored value: base32 or an otpauth URL (Key URI Format). Undefined without a secret or with a period other
 * than 30 s.
 */
export function readTotpSecret(stored: string): TotpKey | undefined {
  if (!stored.startsWith("otpauth:")) return { secret: bare(stored), digits: 6, algorithm: "sha1" };
  const query = URL.parse(stored)?.searchParams;
  const secret = query?.get("secret");
  if (query === undefined || secret === null || secret === undefined) return undefined;
  if ((query.get("period") ?? String(stepSeconds)) !== String(stepSeconds)) return undefined;
  return {
    secret: bare(secret),
    digits: query.get("digits") === "8" ? 8 : 6,
    algorithm: algorithmOf(query.get("algorithm")),
  };
}

export interface TotpCheck {
  readonly stored: string;
  /** What the user typed. */
  readonly code: string;
  readonly nowMs: number;
  /** Number of accepted steps before and after the current one. */
  readonly skew: number;
}

/**
 * Accepts a code by any of several clocks, of which one may be wrong: a correct code must not be refused because a host's clock is off.
 * @throws Error for an invalid stored secret
 */
export function matchTotpAt(timesMs: readonly number[], check: Omit<TotpCheck, "nowMs">): number | undefined {
  for (const nowMs of timesMs) {
    const step = matchTotp({ ...check, nowMs });
    if (step !== undefined) return step;
  }
  return undefined;
}

/** What time it may be. Clocks that differ by less than a step count once, so that they accept no more codes than one clock. */
export function totpTimes(...clocks: readonly [Clock, Clock]): () => readonly number[] {
  return () => {
    const [first, second] = [clocks[0].now(), clocks[1].now()];
    return Math.abs(first - second) < stepSeconds * 1000 ? [first] : [first, second];
  };
}

/**
 * RFC 6238. @returns the time step of the code, or undefined for a wrong code
 * @throws Error for an invalid stored secret
 */
export function matchTotp({ stored, code, nowMs, skew }: TotpCheck): number | undefined {
  const key = readTotpSecret(stored);
  if (key === undefined) throw new Error("invalid stored TOTP secret");
  const token = typedCode(code);
  if (!/^\d+$/.test(token) || token.length !== key.digits) return undefined;
  const epoch = Math.floor(nowMs / 1000);
  const result = verifySync({
    ...key,
    token,
    epoch,
    epochTolerance: skew * stepSeconds,
    period: stepSeconds,
    guardrails,
  });
  return result.valid ? Math.floor(epoch / stepSeconds) + result.delta : undefined;
}

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

/** The secret in groups of four, which are easier to type. */
export function grouped(secret: string): string {
  return (secret.match(/.{1,4}/g) ?? []).join(" ");
}
