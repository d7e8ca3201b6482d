import { readCredential } from "@postern/shared/domain/passkeys";
import { handlesOf } from "./user-handle.ts";

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

/**
 * Facts about an account's passkeys for a password manager (WebAuthn Level 3 §5.1.10), as its options are named. Undefined
 * if no password manager can have a passkey of the account.
 */
export function signalsOf(rpId: string, { account, displayName, credentials, wasRemoved, removedHandles }: Signalled) {
  const userIds = [...new Set([...handlesOf(account, credentials), ...removedHandles])];
  if (userIds.length === 0) return undefined;
  const isListed = wasRemoved || credentials.length > 0;
  const ids = credentials.flatMap((text) => readCredential(text)?.id ?? []);
  return {
    rpId,
    /** Each in base64url. Password managers keep passkeys by them. */
    userIds,
    name: account,
    displayName: displayName ?? account,
    /** All passkeys that the account still has. Undefined says nothing: an unreadable one must not be hidden. */
    allAcceptedCredentialIds: isListed && ids.length === credentials.length ? ids : undefined,
    /** A passkey was just removed. Otherwise a browser that has just added one withholds the list. */
    wasRemoved,
  };
}
