import { readFileSync } from "node:fs";
import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { decodeAttestationObject, parseAuthenticatorData } from "@simplewebauthn/server/helpers";
import { beforeAll, describe, expect, test } from "vitest";
import { loadLibrary, verifyAssertion, verifyRegistration } from "./verify.ts";

interface Vector {
  readonly title: string;
  readonly credentialId: string;
  readonly registration: {
    readonly challenge: string;
    readonly clientDataJSON: string;
    readonly attestationObject: string;
  };
  readonly assertion: {
    readonly challenge: string;
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
  };
}

const file = new URL("./testing/level3-vectors.json", import.meta.url);
const { rpId, origin, vectors }: { rpId: string; origin: string; vectors: readonly Vector[] } = JSON.parse(
  readFileSync(file, "utf8"),
);
const party = { rpId, origins: [origin] };

type Verdict = "accepted" | "no user verification" | "in a frame" | "algorithm" | "attestation";

/**
 * What Postern makes of each pair of ceremonies, or the first reason why it rejects it. The vectors set the flag of user
 * verification at random. "attestation": the test's TPM, Android and Apple are not known vendors, and its U2F key has an AAGUID.
 */
const expected: Readonly<Record<string, readonly [registration: Verdict, assertion: Verdict]>> = {
  "ES256 Credential with No Attestation": ["no user verification", "no user verification"],
  "ES256 Credential with Self Attestation": ["accepted", "no user verification"],
  'ES256 Credential with "crossOrigin": true in clientDataJSON': ["in a frame", "in a frame"],
  'ES256 Credential with "topOrigin" in clientDataJSON': ["in a frame", "in a frame"],
  "ES256 Credential with very long credential ID": ["no user verification", "accepted"],
  "Packed Attestation with ES256 Credential": ["accepted", "accepted"],
  "Packed Attestation with ES384 Credential": ["algorithm", "accepted"],
  "Packed Attestation with ES512 Credential": ["algorithm", "no user verification"],
  "Packed Attestation with RS256 Credential": ["accepted", "no user verification"],
  "Packed Attestation with Ed25519 Credential": ["no user verification", "no user verification"],
  "Packed Attestation with Ed448 Credential": ["algorithm", "algorithm"],
  "TPM Attestation with ES256 Credential": ["attestation", "accepted"],
  "Android Key Attestation with ES256 Credential": ["attestation", "no user verification"],
  "Apple Anonymous Attestation with ES256 Credential": ["attestation", "no user verification"],
  "FIDO U2F Attestation with ES256 Credential": ["attestation", "no user verification"],
};

const head = ({ credentialId }: Vector) => ({
  id: credentialId,
  rawId: credentialId,
  type: "public-key" as const,
  clientExtensionResults: {},
});
const registrationOf = (vector: Vector) => ({ ...head(vector), response: vector.registration });
const assertionOf = (vector: Vector) => ({ ...head(vector), response: vector.assertion });

/** The credential as the registration of the vector states it. */
function credentialOf({ credentialId: id, registration }: Vector) {
  const object = decodeAttestationObject(Uint8Array.from(Buffer.from(registration.attestationObject, "base64url")));
  const { credentialPublicKey } = parseAuthenticatorData(object.get("authData"));
  if (credentialPublicKey === undefined) throw new Error("the vector has no public key");
  return { id, publicKey: Uint8Array.from(credentialPublicKey), counter: 0 };
}

const registered = (vector: Vector, challenge = vector.registration.challenge) =>
  verifyRegistration(party, registrationOf(vector), challenge);
const asserted = (vector: Vector, change: Partial<Vector["assertion"]> = {}) =>
  verifyAssertion(party, {
    response: { ...head(vector), response: { ...vector.assertion, ...change } },
    expectedChallenge: vector.assertion.challenge,
    credential: credentialOf(vector),
  });

const withVerdict = (at: 0 | 1, verdict: Verdict) => vectors.filter(({ title }) => expected[title]?.[at] === verdict);

beforeAll(loadLibrary);

test("there is an expectation for each test vector of WebAuthn Level 3", () => {
  expect(vectors.map(({ title }) => title)).toEqual(Object.keys(expected));
});

describe("test vectors of WebAuthn Level 3", () => {
  test.each(vectors)("registration: $title", async (vector) => {
    const format = decodeAttestationObject(
      Uint8Array.from(Buffer.from(vector.registration.attestationObject, "base64url")),
    ).get("fmt");
    const accepted = { id: vector.credentialId, attestationFormat: format };
    const result = await registered(vector);
    if (expected[vector.title]?.[0] === "accepted") expect(result).toMatchObject(accepted);
    else expect(result).toBeUndefined();
  });

  test.each(vectors)("assertion: $title", async (vector) => {
    expect((await asserted(vector)) !== undefined).toBe(expected[vector.title]?.[1] === "accepted");
  });

  test.each(withVerdict(0, "no user verification"))(
    "registration lacks only user verification: $title",
    async (vector) => {
      const { challenge: expectedChallenge } = vector.registration;
      const options = {
        response: registrationOf(vector),
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpId,
      };
      const { verified } = await verifyRegistrationResponse({ ...options, requireUserVerification: false });
      expect(verified).toBe(true);
    },
  );

  test.each(withVerdict(1, "no user verification"))(
    "assertion lacks only user verification: $title",
    async (vector) => {
      const { challenge: expectedChallenge } = vector.assertion;
      const options = { response: assertionOf(vector), expectedChallenge, expectedOrigin: origin, expectedRPID: rpId };
      const { verified } = await verifyAuthenticationResponse({
        ...options,
        credential: credentialOf(vector),
        requireUserVerification: false,
      });
      expect(verified).toBe(true);
    },
  );

  test.each(withVerdict(0, "accepted"))("registration with another challenge is rejected: $title", async (vector) => {
    expect(await registered(vector, vector.assertion.challenge)).toBeUndefined();
  });

  test.each(withVerdict(1, "accepted"))("assertion with a changed bit is rejected: $title", async (vector) => {
    for (const member of ["clientDataJSON", "authenticatorData", "signature"] as const) {
      const bytes = Buffer.from(vector.assertion[member], "base64url");
      const last = bytes.length - 1;
      bytes.writeUInt8(bytes.readUInt8(last) ^ 1, last);
      expect(await asserted(vector, { [member]: bytes.toString("base64url") })).toBeUndefined();
    }
  });
});
