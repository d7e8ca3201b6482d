import { randomBytes } from "node:crypto";
import { readCredential } from "@postern/shared/domain/passkeys";

/** WebAuthn Level 3 §5.4.3. */
const maxBytes = 64;

/** A handle for an account that has none, in base64url. It says nothing about the account (WebAuthn Level 3 §14.6.1). */
export function newUserHandle(): string {
  return randomBytes(32).toString("base64url");
}

/** The handle of passkeys that were stored without one: versions before took the account's name, if it was short enough. */
function nameHandle(account: string): string | undefined {
  const bytes = Buffer.from(account, "utf8");
  return bytes.length <= maxBytes ? bytes.toString("base64url") : undefined;
}

/**
 * The name under which the account of a passkey is searched for. For a random handle it is the handle itself, which is no account's name;
 * undefined without a handle.
 */
export function nameInHandle(handle: string | undefined): string | undefined {
  if (handle === undefined || handle === "") return undefined;
  try {
    const name = new TextDecoder("utf8", { fatal: true }).decode(Buffer.from(handle, "base64url"));
    return name === "" ? undefined : name;
  } catch {
    return handle;
  }
}

/** The handle that new passkeys of the account get: that of its first one. Undefined if none has one. */
export function storedHandle(credentials: readonly string[]): string | undefined {
  return credentials
    .flatMap((text) => readCredential(text) ?? [])
    .toSorted((one, other) => (one.createdMs ?? 0) - (other.createdMs ?? 0))
    .find(({ userHandle }) => userHandle !== undefined)?.userHandle;
}

/** The handles under which password managers keep these passkeys of the account. */
export function handlesOf(account: string, credentials: readonly string[]): readonly string[] {
  const byName = nameHandle(account);
  const handles = credentials.map((text) => readCredential(text)?.userHandle ?? byName);
  return [...new Set(handles)].filter((handle) => handle !== undefined);
}
