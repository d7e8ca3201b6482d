import { readCredential } from "@postern/shared/domain/passkeys";
import { handlesOf } from "./user-handle.ts";

/** Facts about an account's passkeys for a password manager (WebAuthn Level 3 §5.1.10), as its options are named. */
export interface PasskeySignals {
  readonly rpId: string;
  /** Each in base64url. Password managers keep passkeys by them. */
  readonly userIds: readonly string[];
  readonly name: string;
  readonly displayName: string;
  /** All passkeys that the account still has, or undefined to say nothing about them. */
  readonly allAcceptedCredentialIds: readonly string[] | undefined;
  /** A passkey was just removed. Otherwise a browser that has just added one withholds the list. */
  readonly wasRemoved: boolean;
}

export interface Signalled {
  readonly account: string;
  readonly displayName: string | undefined;
  readonly credentials: readonly string[];
  /**
   * Whether a passkey was just removed. Only then is an empty list sent: password managers hide or delete passkeys that are missing
   * from the list, and it may otherwise be empty by mistake.
   */
  readonly wasRemoved: boolean;
  /** Handles of passkeys that were just removed. */
  readonly removedHandles: readonly string[];
}

/** Undefined if no password manager can have a passkey of the account. */
export function signalsOf(
  rpId: string,
  { account, displayName, credentials, wasRemoved, removedHandles }: Signalled,
): PasskeySignals | undefined {
  const userIds = [...new Set([...handlesOf(account, credentials), ...removedHandles])];
  if (userIds.length === 0) return undefined;
  const isListed = wasRemoved || credentials.length > 0;
  const ids = credentials.flatMap((text) => readCredential(text)?.id ?? []);
  return {
    rpId,
    userIds,
    name: account,
    displayName: displayName ?? account,
    // An unreadable credential may be a passkey, which must not be hidden.
    allAcceptedCredentialIds: isListed && ids.length === credentials.length ? ids : undefined,
    wasRemoved,
  };
}
