import { type Static, Type } from "typebox";

const time = (description: string) => Type.String({ format: "date-time", description });
const lastUsed = Type.Optional(
  time("Last sign-in or token, accurate to about ten seconds. Absent if there was none in the last 400 days."),
);
const words = (description: string) => Type.Array(Type.String(), { description });

const OidcApplication = Type.Object(
  {
    client_id: Type.String(),
    name: Type.String({ description: "Name on the consent page; empty if none is configured." }),
    authentication: Type.String({ description: "Method at the token endpoint; none: a public client." }),
    grant_types: words("Permitted grant types."),
    redirect_uris: words("Redirect URIs."),
    scopes: words("Scopes that it may obtain."),
    keys: Type.Integer({ minimum: 0, description: "Number of configured keys that verify its assertions." }),
    last_used: lastUsed,
  },
  { title: "OidcApplication" },
);

const SamlCertificate = Type.Object({
  use: Type.String({ description: "signing, encryption, or any: configured for both." }),
  end: time(
    "Time of expiry. Signatures are still verified afterwards; service providers usually change their key before.",
  ),
});

const SamlApplication = Type.Object(
  {
    entity_id: Type.String(),
    name: Type.String({ description: "Name on the sign-in page; empty if none is configured." }),
    state: Type.String({ description: "usable, metadata_missing (never loaded) or metadata_expired." }),
    metadata: Type.String({ description: "URL or file of the metadata. Empty: the configuration has everything." }),
    metadata_end: Type.Optional(time("Expiry of the metadata. Absent if it has none, or the metadata is not loaded.")),
    certificates: Type.Array(SamlCertificate),
    last_used: lastUsed,
  },
  { title: "SamlApplication" },
);

/** The applications of the configuration. */
export const ApplicationList = Type.Object(
  {
    oidc: Type.Array(OidcApplication, { description: "Clients of the configuration. Empty while OIDC is off." }),
    saml: Type.Array(SamlApplication, { description: "Service providers. Empty while SAML is off." }),
    incomplete: words("What could not be determined, and why."),
  },
  { title: "ApplicationList" },
);
export type ApplicationList = Static<typeof ApplicationList>;
