import { parsedCredential, part } from "@postern/shared/domain/passkeys";
import type { Registered } from "./verify.ts";

export interface NewCredential extends Registered {
  readonly transports: readonly string[];
  readonly name: string;
  readonly userHandle: string | undefined;
  readonly nowMs: number;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

/** The text of a new credential, with the members that Nauthilus reads. */
export function writeCredential(credential: NewCredential): string {
  return JSON.stringify({
    id: base64(Buffer.from(credential.id, "base64url")),
    publicKey: base64(credential.publicKey),
    attestationType: "none",
    attestationFormat: credential.attestationFormat,
    transport: credential.transports,
    flags: {
      userPresent: true,
      userVerified: true,
      backupEligible: credential.backupEligible,
      backupState: credential.isBackedUp,
    },
    authenticator: {
      AAGUID: base64(Buffer.from(credential.aaguid.replaceAll("-", ""), "hex")),
      signCount: credential.signCount,
      cloneWarning: false,
    },
    signCount: credential.signCount,
    name: credential.name,
    userHandle: credential.userHandle,
    created: new Date(credential.nowMs).toISOString(),
  });
}

/** The text with another name; unknown members are kept. */
export function renamedCredential(text: string, name: string): string {
  return JSON.stringify({ ...parsedCredential(text), name });
}

/** The text after the credential was used. */
export function usedCredential(
  text: string,
  { signCount, isBackedUp, nowMs }: Pick<NewCredential, "signCount" | "isBackedUp" | "nowMs">,
): string {
  const value = parsedCredential(text) ?? {};
  return JSON.stringify({
    ...value,
    flags: { ...part(value, "flags"), backupState: isBackedUp },
    authenticator: { ...part(value, "authenticator"), signCount },
    signCount,
    lastUsed: new Date(nowMs).toISOString(),
  });
}
