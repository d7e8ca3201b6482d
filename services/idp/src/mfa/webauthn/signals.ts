import { userHandleOf } from "./browser-answer.ts";
import { readCredential } from "./stored-credential.ts";

/** Facts about an account's passkeys for a password manager (WebAuthn Level 3 §5.1.10), as its options are named. */
export interface PasskeySignals {
  readonly rpId: string;
  /** base64url */
  readonly userId: string;
  readonly name: string;
  readonly displayName: string;
  /** All passkeys that the account still has, or undefined to say nothing about them. */
  readonly allAcceptedCredentialIds: readonly string[] | undefined;
}

export interface Signalled {
  readonly account: string;
  readonly displayName: string | undefined;
  readonly credentials: readonly string[];
  /**
   * Only then is the list sent, because a password manager hides what it lacks: a replica of the backend may not yet have
   * a passkey that was just added.
   */
  readonly wasRemoved: boolean;
}

/** Undefined for an account whose name is too long for a user handle: its passkeys have random ones. */
export function signalsOf(
  rpId: string,
  { account, displayName, credentials, wasRemoved }: Signalled,
): PasskeySignals | undefined {
  const handle = userHandleOf(account);
  if (handle === undefined) return undefined;
  const ids = credentials.flatMap((text) => readCredential(text)?.id ?? []);
  return {
    rpId,
    userId: Buffer.from(handle).toString("base64url"),
    name: account,
    displayName: displayName ?? account,
    // An unreadable credential may be a passkey, which must not be hidden.
    allAcceptedCredentialIds: wasRemoved && ids.length === credentials.length ? ids : undefined,
  };
}
