import { readCredential, type StoredCredential } from "@postern/shared/domain/passkeys";
import { AppError } from "@postern/shared/platform/errors";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { EngineCall } from "../../visit/visit.ts";
import type { FactorStore } from "../factor-store-nats.ts";
import type { PendingProofs } from "../pending-proofs-redis.ts";
import { handlesOf, newUserHandle, storedHandle } from "./user-handle.ts";
import { loadLibrary, verifyAssertion, verifyRegistration } from "./verify.ts";
import { usedCredential, writeCredential } from "./written-credential.ts";

interface Signalled extends Omit<Registrant, "owner"> {
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

export interface WebauthnSettings {
  readonly rpId: string;
  readonly rpName: string;
  readonly origins: readonly string[];
  readonly residentKey: "required" | "preferred" | "discouraged";
  readonly attachment: "platform" | "cross-platform" | undefined;
}

export interface CeremonyDeps {
  readonly settings: WebauthnSettings;
  readonly pending: PendingProofs;
  readonly store: Pick<FactorStore, "read" | "replaceCredential">;
  readonly nowMs: () => number;
}

export interface Registrant {
  /** Owner of the challenge: the session. */
  readonly owner: string;
  readonly account: string;
  readonly displayName: string | undefined;
  readonly credentials: readonly string[];
}

export interface SignInProof {
  /** Owner of the challenge: the flow. */
  readonly owner: string;
  readonly kind: "webauthn_login" | "passkey";
  /** Undefined: already denied, for example because no account holds the passkey. It is verified all the same, which takes as long. */
  readonly account: string | undefined;
  readonly response: AuthenticationResponseJSON;
}

const timeoutMs = 60_000;
const casAttempts = 3;

function described(texts: readonly string[]) {
  return texts
    .map((text) => readCredential(text))
    .filter((credential): credential is StoredCredential => credential !== undefined)
    .map(({ id, transports }) => ({ id, ...(transports.length > 0 && { transports: [...transports] }) }));
}

function createRegistration({ settings, pending, nowMs }: CeremonyDeps) {
  const { rpId, rpName, residentKey, attachment } = settings;
  return {
    beginRegistration: async ({ owner, account, displayName, credentials }: Registrant) => {
      const userHandle = storedHandle(credentials) ?? newUserHandle();
      const { generateRegistrationOptions } = await loadLibrary();
      const options = await generateRegistrationOptions({
        rpName,
        rpID: rpId,
        userName: account,
        userID: Uint8Array.from(Buffer.from(userHandle, "base64url")),
        userDisplayName: displayName ?? account,
        timeout: timeoutMs,
        attestationType: "none",
        excludeCredentials: described(credentials),
        authenticatorSelection: {
          residentKey,
          userVerification: "required",
          ...(attachment !== undefined && { authenticatorAttachment: attachment }),
        },
      });
      await pending.put("webauthn_handle", owner, `${userHandle}.${options.challenge}`);
      await pending.put("webauthn_register", owner, options.challenge);
      return options;
    },
    /** @returns the text to store, or undefined for an invalid registration */
    finishRegistration: async (
      owner: string,
      response: RegistrationResponseJSON,
      name: string,
    ): Promise<string | undefined> => {
      const expectedChallenge = await pending.take("webauthn_register", owner);
      if (expectedChallenge === undefined) return undefined;
      const registered = await verifyRegistration(settings, response, expectedChallenge);
      if (registered === undefined) return undefined;
      // A version that chose another handle may have begun this registration.
      const [userHandle, challenge] = (await pending.take("webauthn_handle", owner))?.split(".") ?? [];
      return writeCredential({
        ...registered,
        userHandle: challenge === expectedChallenge ? userHandle : undefined,
        transports: response.response.transports ?? [],
        name,
        nowMs: nowMs(),
      });
    },
  };
}

/**
 * A COSE key of ES256 (RFC 9053 §7.1.1), the algorithm of nearly all passkeys; its point is the generator of P-256. An
 * assertion for no credential of the account is verified against it, so that it takes as long; the result is
 * discarded.
 */
const decoy: Pick<StoredCredential, "publicKey" | "signCount"> = {
  signCount: 0,
  publicKey: Uint8Array.from(
    Buffer.from(
      "a50102032620012158206b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2962258204fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
      "hex",
    ),
  ),
};

type Presented = Pick<SignInProof, "account" | "response"> & { readonly expectedChallenge: string };

/** WebAuthn Level 3 §7.2, step 6. A credential without a stored handle has that of another version or product. */
function fitsHandle({ userHandle }: StoredCredential, { response }: AuthenticationResponseJSON): boolean {
  return userHandle === undefined || response.userHandle === undefined || response.userHandle === userHandle;
}

/** One try: reads the credential, verifies, and raises its count unless it was changed in the meantime. */
async function present(
  { settings, store, nowMs }: CeremonyDeps,
  { account, response, expectedChallenge }: Presented,
  context: EngineCall,
): Promise<boolean | "conflict"> {
  const state = account === undefined ? undefined : await store.read(account, context);
  const known = (state?.webauthnCredentials ?? [])
    .map((text) => readCredential(text))
    .find((credential) => credential?.id === response.id);
  const { publicKey, signCount } = known ?? decoy;
  const credential = { id: response.id, publicKey, counter: signCount };
  const asserted = await verifyAssertion(settings, { response, expectedChallenge, credential });
  if (account === undefined || known === undefined || asserted === undefined) return false;
  if (!fitsHandle(known, response)) return false;
  const { newCounter, credentialBackedUp } = asserted;
  const use = { signCount: newCounter, isBackedUp: credentialBackedUp, nowMs: nowMs() };
  const change = { old: known.text, next: usedCredential(known.text, use) };
  const outcome = await store.replaceCredential(account, change, context);
  if (outcome === "conflict") return "conflict";
  // A key without a count has only its time of use stored, which may be lost.
  return outcome === "done" || newCounter === 0;
}

/** WebAuthn ceremonies. User verification is always required, and each challenge is used once. */
export function createCeremonies(deps: CeremonyDeps) {
  const { settings, pending } = deps;
  return {
    ...createRegistration(deps),
    /** Remembers, for the signals of this session, passkeys that are being removed. */
    noteRemoved: async ({ owner, account, credentials }: Omit<Registrant, "displayName">): Promise<void> => {
      const handles = handlesOf(account, credentials);
      if (handles.length > 0) await pending.put("webauthn_removed", owner, handles.join(" "));
    },
    /** The facts about the account's passkeys for the user's password manager. */
    signals: async ({ owner, ...of }: Omit<Signalled, "removedHandles"> & { readonly owner: string }) => {
      const removed = of.wasRemoved ? await pending.take("webauthn_removed", owner) : undefined;
      return signalsOf(settings.rpId, { ...of, removedHandles: removed?.split(" ") ?? [] });
    },
    /** Without credentials, the browser offers its own passkeys. */
    beginSignIn: async (owner: string, credentials: readonly string[] | undefined) => {
      const { generateAuthenticationOptions } = await loadLibrary();
      const options = await generateAuthenticationOptions({
        rpID: settings.rpId,
        timeout: timeoutMs,
        userVerification: "required",
        ...(credentials !== undefined && { allowCredentials: described(credentials) }),
      });
      await pending.put(credentials === undefined ? "passkey" : "webauthn_login", owner, options.challenge);
      return options;
    },
    /** @returns whether the assertion is valid. @throws AppError on a temporary failure */
    finishSignIn: async ({ owner, kind, account, response }: SignInProof, context: EngineCall): Promise<boolean> => {
      const expectedChallenge = await pending.take(kind, owner);
      if (expectedChallenge === undefined) return false;
      for (let attempt = 0; attempt < casAttempts; attempt += 1) {
        const shown = await present(deps, { account, response, expectedChallenge }, context);
        if (shown !== "conflict") return shown;
      }
      throw new AppError("OVERLOADED", { detail: "the passkey was changed concurrently too often to record its use" });
    },
  };
}

export type Ceremonies = ReturnType<typeof createCeremonies>;
