import { WebauthnAssertion, WebauthnRegistration } from "@postern/shared/contracts";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { Static } from "typebox";
import { Value } from "typebox/value";

/** The credential itself, or the member `credential` beside what our script adds. */
function credentialIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "credential" in body ? body.credential : body;
}

/** A new credential as a browser's `toJSON()` gives it (WebAuthn §5.1.8); undefined for anything else. */
export function readRegistration(body: unknown): RegistrationResponseJSON | undefined {
  const value = credentialIn(body);
  if (!Value.Check(WebauthnRegistration, value)) return undefined;
  const { id, rawId, type, response }: Static<typeof WebauthnRegistration> = value;
  const { transports, clientDataJSON, attestationObject } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
  };
}

/** An assertion as a browser's `toJSON()` gives it; undefined for anything else. */
export function readAssertion(body: unknown): AuthenticationResponseJSON | undefined {
  const value = credentialIn(body);
  if (!Value.Check(WebauthnAssertion, value)) return undefined;
  const { id, rawId, type, response }: Static<typeof WebauthnAssertion> = value;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle === undefined ? {} : { userHandle }) },
  };
}
