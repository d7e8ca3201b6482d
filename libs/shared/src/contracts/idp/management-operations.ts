import { type Static, Type } from "typebox";
import { emptyAnswer, errorAnswer, jsonAnswer, operatorApi, pathOf, queryOf } from "../operations/answers.ts";
import { component, count, integer, optional, optionalText, text, texts, time } from "../schema.ts";

const RegisteredClient = component("RegisteredClient", {
  client_id: Type.String(),
  client_name: text("As the client gave it, unverified."),
  redirect_uris: Type.Array(Type.String()),
  scope: Type.String(),
  kind: Type.Union([Type.Literal("mail"), Type.Literal("full")], {
    description: "`mail`: in the profile for mail clients. `full`: by dynamic registration.",
  }),
  network: text("Network from which the client registered."),
  initial_access_token: text("Name of the initial access token. Empty if none was required."),
  software_id: text("Identifier of the program. Empty if the client gave none."),
  created: Type.String({ format: "date-time" }),
  last_used: optional(time("When a token was last issued, accurate to one hour.")),
  ends: time("End of the registration unless it is used."),
});

export const RegisteredClientList = component("RegisteredClientList", {
  clients: Type.Array(RegisteredClient),
  next: optional(integer("Position of the next page; absent on the last one.")),
});
export type RegisteredClientList = Static<typeof RegisteredClientList>;

const lastUsed = optional(
  time("Last sign-in or token, accurate to about ten seconds. Absent if there was none in the last 400 days."),
);

const OidcApplication = component("OidcApplication", {
  client_id: Type.String(),
  name: text("Name on the consent page; empty if none is configured."),
  authentication: text("Method at the token endpoint; none: a public client."),
  grant_types: texts("Permitted grant types."),
  redirect_uris: texts("Redirect URIs."),
  scopes: texts("Scopes that it may obtain."),
  keys: count("Number of configured keys that verify its assertions."),
  last_used: lastUsed,
});

const SamlCertificate = Type.Object({
  use: text("signing, encryption, or any: configured for both."),
  end: time(
    "Time of expiry. Signatures are still verified afterwards; service providers usually change their key before.",
  ),
});

const SamlApplication = component("SamlApplication", {
  entity_id: Type.String(),
  name: text("Name on the sign-in page; empty if none is configured."),
  state: text("usable, metadata_missing (never loaded) or metadata_expired."),
  metadata: text("URL or file of the metadata. Empty: the configuration has everything."),
  metadata_end: optional(time("Expiry of the metadata. Absent if it has none, or the metadata is not loaded.")),
  certificates: Type.Array(SamlCertificate),
  last_used: lastUsed,
});

export const ApplicationList = component("ApplicationList", {
  oidc: Type.Array(OidcApplication, { description: "Clients of the configuration. Empty while OIDC is off." }),
  saml: Type.Array(SamlApplication, { description: "Service providers. Empty while SAML is off." }),
  incomplete: texts("What could not be determined, and why."),
});
export type ApplicationList = Static<typeof ApplicationList>;

/** A key of the identity provider's key set, without its private part. */
const SigningKeyListed = component("SigningKey", {
  kid: Type.String(),
  source: Type.Enum(["generated", "configured"], {
    description: "Whether Postern generated the key or the configuration contains it.",
  }),
  algorithms: texts("Algorithms whose signatures the key can verify."),
  signs: texts("Algorithms for which the key signs now. Empty for others."),
  created: optional(time("Absent for configured keys.")),
  signs_from: optional(time("Time from which a published key will sign.")),
});

export type SigningKeyListed = Static<typeof SigningKeyListed>;

export const SigningKeyList = component("SigningKeyList", { keys: Type.Array(SigningKeyListed) });

export const SigningKeysRotated = component("SigningKeysRotated", {
  created: texts("`kid` of the new keys. Empty if successors wait already."),
  keys: Type.Array(SigningKeyListed),
});

/** A failed sign-in on the pages, as operators see it. */
export const FailedSignInRecord = component("FailedSignIn", {
  reference: text("Reference that the sign-in page showed."),
  session: text("GUID of the request, as in the log."),
  time: text("Time, in ISO 8601."),
  step: text("Step: password, totp, recovery, webauthn, passkey, remembered_device or lost_phone."),
  outcome: text("Outcome: denied, blocked, throttled or undecided."),
  reason: text("Reason as in the log, such as wrong_password, unknown_user, blocked or policy."),
  rule: optionalText("Brute-force rule that banned the network."),
  account: optionalText("Account name. Absent if no backend has an account of the given name."),
  client_ip: Type.String(),
  kind: text("Kind of sign-in: oidc, saml, device or self_service."),
  client: optionalText("Client or service provider."),
});

/** What operators manage at the identity provider, besides sessions. */
const operators = (name: string, prefix: string, tag: string) =>
  operatorApi({ name, prefix, owner: "idp" }, tag, { 403: errorAnswer("The token lacks a required scope.") });
const registeredClients = operators("registered OIDC clients", "/api/v1/oidc/clients", "OIDC clients");
const applications = operators("applications", "/api/v1/applications", "Help desk");
const signingKeys = operators("signing keys", "/api/v1/oidc/keys", "Signing keys");
const failedSignIns = operators("failed sign-ins", "/api/v1/sign-ins", "Failed sign-ins");

export const idpManagementOperations = [
  registeredClients("get", "/api/v1/oidc/clients", "listRegisteredClients", {
    summary: "List the clients that registered themselves",
    description: "At most 100, the next to expire first. `next` is the position of the next page.",
    request: queryOf({ position: optional(Type.Integer({ minimum: 0, maximum: 10_000_000 })) }),
    answers: { 200: jsonAnswer("The clients.", RegisteredClientList), 400: errorAnswer("position is not a number.") },
  }),
  registeredClients("delete", "/api/v1/oidc/clients/{client_id}", "deleteRegisteredClient", {
    summary: "Delete a client that registered itself, and revoke its tokens",
    request: pathOf({ client_id: Type.String({ minLength: 1, maxLength: 200 }) }),
    answers: {
      204: emptyAnswer("The client is deleted and its tokens are revoked."),
      404: errorAnswer("No client has registered itself with this ID."),
    },
  }),
  applications("get", "/api/v1/applications", "listApplications", {
    summary: "List the OIDC clients and SAML service providers of the configuration",
    description:
      "With their last use, and the expiry of metadata and certificates. Clients that registered themselves are in the list of registered clients.",
    answers: { 200: jsonAnswer("The applications.", ApplicationList) },
  }),
  signingKeys("get", "/api/v1/oidc/keys", "listSigningKeys", {
    summary: "List the signing keys of the identity provider",
    answers: { 200: jsonAnswer("The keys.", SigningKeyList) },
  }),
  signingKeys("post", "/api/v1/oidc/keys/rotate", "rotateSigningKeys", {
    summary: "Rotate the signing keys of the identity provider",
    description:
      "Generates a successor for each generated key. It is published immediately and signs after identity.oidc.key_publish_delay; its predecessor stays published until the last token that it signed has expired. While a successor waits to sign, no further one is generated. Configured keys (identity.oidc.signing_keys) are not changed.",
    answers: {
      200: jsonAnswer("The keys after the rotation.", SigningKeysRotated),
      409: errorAnswer("Too many earlier keys are still published."),
    },
  }),
  failedSignIns("get", "/api/v1/sign-ins/{reference}", "getFailedSignIn", {
    summary: "Explain a failed sign-in",
    description:
      "The sign-in is identified by the reference that the page showed, or by the GUID of the request. Records are kept for seven days, at most the latest 32,768.",
    request: pathOf({
      reference: text("Reference as the page showed it, such as `7d3f91ac-20b4`, or the GUID of the request.", {
        minLength: 1,
        maxLength: 64,
      }),
    }),
    answers: {
      200: jsonAnswer("The failed sign-in.", FailedSignInRecord),
      404: errorAnswer("No failed sign-in with this reference is stored."),
    },
  }),
];
