import type { KeyRing } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";

const mark = "{SEALED}";
/**
 * The same for all accounts: a secret may be provisioned plain, so that who can write another account's row gains
 * nothing by moving a sealed one; and a renamed account keeps its second factor.
 */
const context = "totp-secret";
/** RFC 4226 asks for 16 bytes; secrets of 10 are in use everywhere. */
const base32 = /^[A-Z2-7]{16,256}$/;

function bareSecret(text: string): string {
  return text.toUpperCase().replace(/[\s-]/g, "").replace(/=+$/, "");
}

/** Base32 without spaces and padding, or an otpauth URL as it is; undefined for what is neither. */
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

/** @throws AppError DIRECTORY_DATA for what no key opens: undecidable, never "has no second factor". */
export function openTotpSecret(stored: string, ring: KeyRing | undefined): string {
  if (!stored.startsWith(mark)) return stored;
  const opened = ring?.open(Buffer.from(stored.slice(mark.length), "base64url"), context);
  if (opened !== undefined) return opened.toString();
  throw new AppError("DIRECTORY_DATA", { detail: "no key opens a sealed TOTP secret" });
}
