import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";

const base64url = (maxLength: number) => Type.String({ pattern: "^[\\w-]+$", minLength: 1, maxLength });
const common = { id: base64url(1400), rawId: base64url(1400), type: Type.Literal("public-key") };

const Registration = Type.Object({
  ...common,
  response: Type.Object({
    clientDataJSON: base64url(8192),
    attestationObject: base64url(65_536),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
});

const Assertion = Type.Object({
  ...common,
  response: Type.Object({
    clientDataJSON: base64url(8192),
    authenticatorData: base64url(8192),
    signature: base64url(8192),
    userHandle: Type.Optional(base64url(128)),
  }),
});

/** The credential itself, or one beside what our script tells more. */
function credentialIn(body: unknown): unknown {
  return typeof body === "object" && body !== null && "credential" in body ? body.credential : body;
}

/** A new credential as a browser's `toJSON()` gives it (WebAuthn §5.1.8); undefined for anything else. */
export function readRegistration(body: unknown): RegistrationResponseJSON | undefined {
  const value = credentialIn(body);
  if (!Value.Check(Registration, value)) return undefined;
  const { id, rawId, type, response }: Static<typeof Registration> = value;
  const { transports, clientDataJSON, attestationObject } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON, attestationObject, ...(transports === undefined ? {} : { transports }) },
  };
}

/** What a browser signed; undefined for anything else. */
export function readAssertion(body: unknown): AuthenticationResponseJSON | undefined {
  const value = credentialIn(body);
  if (!Value.Check(Assertion, value)) return undefined;
  const { id, rawId, type, response }: Static<typeof Assertion> = value;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  return {
    id,
    rawId,
    type,
    clientExtensionResults: {},
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle === undefined ? {} : { userHandle }) },
  };
}

const longestHandle = 64;

/** The user handle of an account: its name. Undefined when that does not fit (WebAuthn §5.4.3: 64 bytes). */
export function userHandleOf(account: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = Uint8Array.from(Buffer.from(account, "utf8"));
  return bytes.length <= longestHandle ? bytes : undefined;
}

export function accountOfHandle(handle: string | undefined): string | undefined {
  const account = handle === undefined ? "" : Buffer.from(handle, "base64url").toString("utf8");
  return account === "" ? undefined : account;
}
