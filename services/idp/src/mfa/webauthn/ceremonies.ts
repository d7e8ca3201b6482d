import { AppError } from "@postern/shared/platform/errors";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { EngineCall } from "../../login/engine-call.ts";
import type { FactorStore } from "../factor-store.ts";
import type { PendingProofs } from "../pending-proofs.ts";
import { userHandleOf } from "./browser-answer.ts";
import { type PasskeySignals, type Signalled, signalsOf } from "./signals.ts";
import { readCredential, type StoredCredential, usedCredential, writeCredential } from "./stored-credential.ts";
import { loadLibrary, verifyAssertion, verifyRegistration } from "./verify.ts";

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
  /** Already denied, for example because the account is unknown: the check takes as long as for a wrong assertion. */
  readonly isDenied?: boolean | undefined;
}

/** The result of a valid assertion. */
export interface ShownCredential {
  /** The key may be copied, so it is not bound to hardware. */
  readonly backupEligible: boolean;
}

/** WebAuthn ceremonies. User verification is always required, and each challenge is used once. */
export interface Ceremonies {
  beginRegistration(who: Registrant): Promise<PublicKeyCredentialCreationOptionsJSON>;
  /** @returns the text to store, or undefined for an invalid registration */
  finishRegistration(owner: string, response: RegistrationResponseJSON, name: string): Promise<string | undefined>;
  /** Without credentials, the browser offers its own passkeys. */
  beginSignIn(
    owner: string,
    credentials: readonly string[] | undefined,
  ): Promise<PublicKeyCredentialRequestOptionsJSON>;
  /** @returns undefined for an invalid assertion. @throws AppError on a temporary failure */
  finishSignIn(proof: SignInProof, context: EngineCall): Promise<ShownCredential | undefined>;
  /** The facts about the account's passkeys for the user's password manager. */
  signals(of: Signalled): PasskeySignals | undefined;
}

const timeoutMs = 60_000;
const casAttempts = 3;

function described(texts: readonly string[]) {
  return texts
    .map((text) => readCredential(text))
    .filter((credential): credential is StoredCredential => credential !== undefined)
    .map(({ id, transports }) => ({ id, ...(transports.length > 0 && { transports: [...transports] }) }));
}

function createRegistration({
  settings,
  pending,
  nowMs,
}: CeremonyDeps): Pick<Ceremonies, "beginRegistration" | "finishRegistration"> {
  const { rpId, rpName, residentKey, attachment } = settings;
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
      const registered = await verifyRegistration(settings, response, expectedChallenge);
      if (registered === undefined) return undefined;
      return writeCredential({
        ...registered,
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

interface Presented {
  readonly response: AuthenticationResponseJSON;
  readonly isDenied: boolean;
  readonly expectedChallenge: string;
}

/** One try: reads the credential, verifies, and raises its count unless it was changed in the meantime. */
async function present(
  { settings, store, nowMs }: CeremonyDeps,
  account: string,
  { response, expectedChallenge, isDenied }: Presented,
  context: EngineCall,
): Promise<ShownCredential | "conflict" | undefined> {
  const state = await store.read(account, context).catch((error: unknown) => {
    // The account may not exist; it is denied whatever its factors are.
    if (isDenied) return undefined;
    throw error;
  });
  const known = (isDenied ? [] : (state?.webauthnCredentials ?? []))
    .map((text) => readCredential(text))
    .find((credential) => credential?.id === response.id);
  const { publicKey, signCount } = known ?? decoy;
  const credential = { id: response.id, publicKey, counter: signCount };
  const asserted = await verifyAssertion(settings, { response, expectedChallenge, credential });
  if (known === undefined || asserted === undefined) return undefined;
  const { newCounter, credentialBackedUp } = asserted;
  const use = { signCount: newCounter, isBackedUp: credentialBackedUp, nowMs: nowMs() };
  const change = { old: known.text, next: usedCredential(known.text, use) };
  const outcome = await store.replaceCredential(account, change, context);
  if (outcome === "conflict") return "conflict";
  // Without a count, only the time of use is stored.
  return outcome === "done" || newCounter === 0 ? { backupEligible: known.backupEligible } : undefined;
}

export function createCeremonies(deps: CeremonyDeps): Ceremonies {
  const { settings, pending } = deps;
  return {
    ...createRegistration(deps),
    signals: (of) => signalsOf(settings.rpId, of),
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
    finishSignIn: async ({ owner, kind, account, response, isDenied = false }, context) => {
      const expectedChallenge = await pending.take(kind, owner);
      if (expectedChallenge === undefined) return undefined;
      for (let attempt = 0; attempt < casAttempts; attempt += 1) {
        const shown = await present(deps, account, { response, expectedChallenge, isDenied }, context);
        if (shown !== "conflict") return shown;
      }
      throw new AppError("OVERLOADED", { detail: "the passkey was changed concurrently too often to record its use" });
    },
  };
}
