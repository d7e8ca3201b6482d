import { AppError } from "@postern/shared/errors";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { CallContext } from "../../login/password-check.ts";
import type { FactorStore } from "../factor-store.ts";
import type { PendingProofs } from "../pending-proofs.ts";
import { userHandleOf } from "./browser-answer.ts";
import { readCredential, type StoredCredential, usedCredential, writeCredential } from "./stored-credential.ts";

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
  readonly account: string;
  readonly response: AuthenticationResponseJSON;
}

/** What was shown, when it was right. */
export interface ShownCredential {
  /** It may be copied: the key is not bound to hardware. */
  readonly backupEligible: boolean;
}

/** WebAuthn ceremonies; user verification is always demanded, challenges are used once. */
export interface Ceremonies {
  beginRegistration(who: Registrant): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /** @returns the text to store, or undefined for an answer that is not right */
  finishRegistration(owner: string, response: RegistrationResponseJSON, name: string): Promise<string | undefined>;
  /** Without credentials the browser offers what passkeys it has. */
  beginSignIn(
    owner: string,
    credentials: readonly string[] | undefined,
  ): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** @returns undefined for an answer that is not right. @throws AppError when nobody could decide */
  finishSignIn(proof: SignInProof, context: CallContext): Promise<ShownCredential | undefined>;
}

const timeoutMs = 60_000;
const casAttempts = 3;

function described(texts: readonly string[]) {
  return texts
    .map((text) => readCredential(text))
    .filter((credential): credential is StoredCredential => credential !== undefined)
    .map(({ id, transports }) => ({ id, ...(transports.length > 0 && { transports: [...transports] }) }));
}

/** Read from disk with the first passkey: it reads certificates too, and is the largest part of the sign-in. */
const loadLibrary = async () => import("@simplewebauthn/server");

/** The library throws for whatever is not right in an answer. */
async function verified<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

function createRegistration({
  settings,
  pending,
  nowMs,
}: CeremonyDeps): Pick<Ceremonies, "beginRegistration" | "finishRegistration"> {
  const { rpId, rpName, origins, residentKey, attachment } = settings;
  return {
    beginRegistration: async ({ owner, account, displayName, credentials }) => {
      const userID = userHandleOf(account);
      const { generateRegistrationOptions } = await loadLibrary();
      const options = await generateRegistrationOptions({
        rpName,
        rpID: rpId,
        userName: account,
        ...(userID !== undefined && { userID }),
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
      await pending.put("webauthn_register", owner, options.challenge);
      return options;
    },
    finishRegistration: async (owner, response, name) => {
      const expectedChallenge = await pending.take("webauthn_register", owner);
      if (expectedChallenge === undefined) return undefined;
      const { verifyRegistrationResponse } = await loadLibrary();
      const result = await verified(() =>
        verifyRegistrationResponse({
          response,
          expectedChallenge,
          expectedOrigin: [...origins],
          expectedRPID: rpId,
          requireUserVerification: true,
        }),
      );
      if (result?.registrationInfo === undefined) return undefined;
      const { credential, aaguid, fmt, credentialBackedUp, credentialDeviceType } = result.registrationInfo;
      return writeCredential({
        id: credential.id,
        publicKey: credential.publicKey,
        signCount: credential.counter,
        transports: response.response.transports ?? [],
        aaguid,
        attestationFormat: fmt,
        backupEligible: credentialDeviceType === "multiDevice",
        isBackedUp: credentialBackedUp,
        name,
        nowMs: nowMs(),
      });
    },
  };
}

interface Presented {
  readonly response: AuthenticationResponseJSON;
  readonly expectedChallenge: string;
}

/** One try: reads the credential, verifies, and raises its count only if nobody else changed it meanwhile. */
async function present(
  { settings, store, nowMs }: CeremonyDeps,
  account: string,
  { response, expectedChallenge }: Presented,
  context: CallContext,
): Promise<ShownCredential | "conflict" | undefined> {
  const state = await store.read(account, context);
  const known = (state?.webauthnCredentials ?? [])
    .map((text) => readCredential(text))
    .find((credential) => credential?.id === response.id);
  if (known === undefined) return undefined;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const result = await verified(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: [...settings.origins],
      expectedRPID: settings.rpId,
      credential: { id: known.id, publicKey: known.publicKey, counter: known.signCount },
      requireUserVerification: true,
    }),
  );
  if (result?.verified !== true) return undefined;
  const { newCounter, credentialBackedUp } = result.authenticationInfo;
  const use = { signCount: newCounter, isBackedUp: credentialBackedUp, nowMs: nowMs() };
  const change = { old: known.text, next: usedCredential(known.text, use) };
  const outcome = await store.replaceCredential(account, change, context);
  if (outcome === "conflict") return "conflict";
  // Without a count there is nothing to keep but when it was used.
  return outcome === "done" || newCounter === 0 ? { backupEligible: known.backupEligible } : undefined;
}

export function createCeremonies(deps: CeremonyDeps): Ceremonies {
  const { settings, pending } = deps;
  return {
    ...createRegistration(deps),
    beginSignIn: async (owner, credentials) => {
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
    finishSignIn: async ({ owner, kind, account, response }, context) => {
      const expectedChallenge = await pending.take(kind, owner);
      if (expectedChallenge === undefined) return undefined;
      for (let attempt = 0; attempt < casAttempts; attempt += 1) {
        const shown = await present(deps, account, { response, expectedChallenge }, context);
        if (shown !== "conflict") return shown;
      }
      throw new AppError("OVERLOADED", { detail: "a passkey changes faster than its use can be noted" });
    },
  };
}
