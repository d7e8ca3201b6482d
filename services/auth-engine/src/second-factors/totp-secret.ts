import type { KeyRing } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";

const mark = "{SEALED}";
/**
 * The associated data is the same for all accounts: secrets may be provisioned in plain text, so a writer of another
 * account's row gains nothing by moving an encrypted one, and a renamed account keeps its second factor.
 */
const context = "totp-secret";
/** RFC 4226 requires 16 bytes, but secrets of 10 bytes are in wide use. */
const base32 = /^[A-Z2-7]{16,256}$/;

function bareSecret(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, "").replace(/=+$/, "");
}

/** Base32 without spaces and padding, or an otpauth URL unchanged; undefined for anything else. */
export function readTotpSecret(text: string): string | undefined {
  if (/^otpauth:/i.test(text)) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isTotp = url?.host.toLowerCase() === "totp";
    return isTotp && base32.test(bareSecret(url.searchParams.get("secret") ?? "")) ? text : undefined;
  }
  const bare = bareSecret(text);
  return base32.test(bare) ? bare : undefined;
}

export function sealTotpSecret(secret: string, ring: KeyRing): string {
  return mark + ring.seal(secret, context).toString("base64url");
}

/** @throws AppError DIRECTORY_DATA if no key decrypts it: the state is unknown, never "has no second factor". */
export function openTotpSecret(stored: string, ring: KeyRing | undefined): string {
  if (!stored.startsWith(mark)) return stored;
  const opened = ring?.open(Buffer.from(stored.slice(mark.length), "base64url"), context);
  if (opened !== undefined) return opened.toString();
  throw new AppError("DIRECTORY_DATA", { detail: "no encryption key decrypts a stored TOTP secret" });
}
