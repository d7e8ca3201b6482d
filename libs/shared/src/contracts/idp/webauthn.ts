import { Type } from "typebox";
import { component } from "../schema.ts";

const base64url = (maxLength: number) => Type.String({ pattern: "^[\\w-]+$", minLength: 1, maxLength });
const common = { id: base64url(1400), rawId: base64url(1400), type: Type.Literal("public-key") };

/** A new credential as a browser's `toJSON()` gives it (WebAuthn §5.1.8); other members are ignored. */
export const WebauthnRegistration = component("WebauthnRegistration", {
  ...common,
  response: Type.Object({
    clientDataJSON: base64url(8192),
    attestationObject: base64url(65_536),
    transports: Type.Optional(Type.Array(Type.String({ maxLength: 32 }), { maxItems: 16 })),
  }),
});

/** What a browser signed (WebAuthn §5.1.8). */
export const WebauthnAssertion = component("WebauthnAssertion", {
  ...common,
  response: Type.Object({
    clientDataJSON: base64url(8192),
    authenticatorData: base64url(8192),
    signature: base64url(8192),
    userHandle: Type.Optional(base64url(128)),
  }),
});

const descriptor = Type.Object({
  id: Type.String(),
  type: Type.Literal("public-key"),
  transports: Type.Optional(Type.Array(Type.String())),
});
const text = Type.String();
const timeout = Type.Optional(Type.Integer({ description: "Timeout in milliseconds." }));

/** For `navigator.credentials.create` (WebAuthn §5.4, as JSON). */
export const WebauthnCreation = component("WebauthnCreation", {
  publicKey: Type.Object({
    challenge: text,
    rp: Type.Object({ id: Type.Optional(text), name: text }),
    user: Type.Object({ id: text, name: text, displayName: text }),
    pubKeyCredParams: Type.Array(Type.Object({ type: Type.Literal("public-key"), alg: Type.Integer() })),
    timeout,
    excludeCredentials: Type.Optional(Type.Array(descriptor)),
    authenticatorSelection: Type.Optional(Type.Object({ userVerification: Type.Optional(text) })),
    attestation: Type.Optional(text),
  }),
});

/** For `navigator.credentials.get` (WebAuthn §5.5, as JSON). */
export const WebauthnRequest = component("WebauthnRequest", {
  publicKey: Type.Object({
    challenge: text,
    rpId: Type.Optional(text),
    timeout,
    allowCredentials: Type.Optional(Type.Array(descriptor)),
    userVerification: Type.Optional(text),
  }),
});

/** The credential with additional members of the page's script, or the credential alone. */
export const WebauthnRegistrationBody = Type.Union(
  [
    Type.Object({
      credential: WebauthnRegistration,
      name: Type.Optional(Type.String({ description: "Label of the passkey." })),
    }),
    WebauthnRegistration,
  ],
  { title: "WebauthnRegistrationBody" },
);

export const WebauthnSignInBody = Type.Union(
  [
    Type.Object({
      credential: WebauthnAssertion,
      remember_me: Type.Optional(Type.Boolean()),
      remember_device: Type.Optional(Type.Boolean()),
    }),
    WebauthnAssertion,
  ],
  { title: "WebauthnSignInBody" },
);

/** Where the browser continues. */
export const WebauthnDone = component("WebauthnDone", { redirect: Type.String() });
