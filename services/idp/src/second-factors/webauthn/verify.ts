import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  VerifiedAuthenticationResponse,
  WebAuthnCredential,
} from "@simplewebauthn/server";
import { Type } from "typebox";
import { Value } from "typebox/value";

/** What a relying party compares with the client data. */
export interface RelyingParty {
  readonly rpId: string;
  readonly origins: readonly string[];
}

/** Loaded with the first passkey, because the library is the largest part of the sign-in. */
export async function loadLibrary() {
  // Bundled, the library's own import of reflect-metadata comes after @peculiar/x509, which needs it.
  await import("reflect-metadata");
  return import("@simplewebauthn/server");
}

/** The library throws for anything invalid. */
async function verified<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch {
    return undefined;
  }
}

const OwnPage = Type.Object({
  crossOrigin: Type.Optional(Type.Literal(false)),
  topOrigin: Type.Optional(Type.Never()),
});

/** Postern's pages are never in a frame of another site, so no ceremony is (WebAuthn Level 3 §7.1 and §7.2). */
function isOfOwnPage(clientDataJson: string): boolean {
  try {
    return Value.Check(OwnPage, JSON.parse(Buffer.from(clientDataJson, "base64url").toString("utf8")));
  } catch {
    return false;
  }
}

/** Verifies a new credential. User verification is required. @returns undefined if it is invalid */
export async function verifyRegistration(
  { rpId, origins }: RelyingParty,
  response: RegistrationResponseJSON,
  expectedChallenge: string,
) {
  if (!isOfOwnPage(response.response.clientDataJSON)) return undefined;
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
  return {
    /** base64url */
    id: credential.id,
    /** COSE key. */
    publicKey: credential.publicKey,
    signCount: credential.counter,
    aaguid,
    attestationFormat: fmt,
    backupEligible: credentialDeviceType === "multiDevice",
    isBackedUp: credentialBackedUp,
  };
}

/** A verified registration (WebAuthn Level 3 §7.1). */
export type Registered = NonNullable<Awaited<ReturnType<typeof verifyRegistration>>>;

/** Verifies an assertion. User verification is required. @returns undefined if it is invalid */
export async function verifyAssertion(
  { rpId, origins }: RelyingParty,
  {
    response,
    expectedChallenge,
    credential,
  }: { response: AuthenticationResponseJSON; expectedChallenge: string; credential: WebAuthnCredential },
): Promise<VerifiedAuthenticationResponse["authenticationInfo"] | undefined> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const result = await verified(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      credential,
      requireUserVerification: true,
    }),
  );
  // Checked last, so that it does not shorten the time of a rejection.
  const isValid = result?.verified === true && isOfOwnPage(response.response.clientDataJSON);
  return isValid ? result.authenticationInfo : undefined;
}
