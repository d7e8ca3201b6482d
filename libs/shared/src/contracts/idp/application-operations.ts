import { type Static, Type } from "typebox";
import { errorAnswer, jsonAnswer, operatorApi } from "../operations/answers.ts";
import { component, text, texts, time } from "../schema.ts";

const lastUsed = Type.Optional(
  time("Last sign-in or token, accurate to about ten seconds. Absent if there was none in the last 400 days."),
);

const OidcApplication = component("OidcApplication", {
  client_id: Type.String(),
  name: text("Name on the consent page; empty if none is configured."),
  authentication: text("Method at the token endpoint; none: a public client."),
  grant_types: texts("Permitted grant types."),
  redirect_uris: texts("Redirect URIs."),
  scopes: texts("Scopes that it may obtain."),
  keys: Type.Integer({ minimum: 0, description: "Number of configured keys that verify its assertions." }),
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
  metadata_end: Type.Optional(time("Expiry of the metadata. Absent if it has none, or the metadata is not loaded.")),
  certificates: Type.Array(SamlCertificate),
  last_used: lastUsed,
});

export const ApplicationList = component("ApplicationList", {
  oidc: Type.Array(OidcApplication, { description: "Clients of the configuration. Empty while OIDC is off." }),
  saml: Type.Array(SamlApplication, { description: "Service providers. Empty while SAML is off." }),
  incomplete: texts("What could not be determined, and why."),
});
export type ApplicationList = Static<typeof ApplicationList>;

const applications = operatorApi({ name: "applications", prefix: "/api/v1/applications", owner: "idp" }, "Help desk", {
  403: errorAnswer("The token lacks a required scope."),
});

export const applicationOperations = [
  applications("get", "/api/v1/applications", "listApplications", {
    summary: "List the OIDC clients and SAML service providers of the configuration",
    description:
      "With their last use, and the expiry of metadata and certificates. Clients that registered themselves are in the list of registered clients.",
    answers: { 200: jsonAnswer("The applications.", ApplicationList) },
  }),
];
