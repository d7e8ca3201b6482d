import { choice, duration, entries, flag, integer, secret, section, text, texts } from "./fields.ts";
import { SamlProvider } from "./identity-saml-provider.ts";

const tenYears = 3650 * 24 * 60 * 60 * 1000;

const Slo = section("Single logout.", {
  enabled: flag("Whether /saml/slo is served.", { default: true }),
  front_channel_enabled: flag("Whether service providers are notified of logouts through the browser.", {
    default: true,
  }),
  back_channel_enabled: flag("Whether service providers are notified of logouts over SOAP."),
  request_timeout: duration("3s", "Time that a service provider has to respond, over SOAP or in the browser."),
  max_participants: integer(64, "Maximum number of service providers that are notified for one session.", {
    minimum: 1,
    maximum: 256,
  }),
  back_channel_max_retries: integer(
    1,
    "Number of times a SOAP request is repeated within one delivery attempt. Delivery attempts continue for one day.",
    { maximum: 5 },
  ),
});

const Metadata = section("Handling of service provider metadata.", {
  refresh_interval: duration(
    "6h",
    "Interval at which metadata is read again. A shorter `cacheDuration` in the metadata takes precedence.",
    { minimum: 1000 },
  ),
  request_timeout: duration("10s", "Timeout of fetching a document.", { minimum: 1, maximum: 60_000 }),
  max_bytes: integer(4_194_304, "Maximum size of a document.", { unit: "bytes", minimum: 1024, maximum: 16_777_216 }),
});

/** `identity.saml`. */
export const IdentitySaml = section(
  "SAML 2.0 identity provider.",
  {
    enabled: flag("Whether SAML is served. It requires identity.frontend.", { reload: "restart" }),
    entity_id: text(
      "Entity ID of Postern. If it is an http or https URL, its origin is that of Postern's SAML URLs, otherwise identity.oidc.issuer is.",
      { maxLength: 1024 },
    ),
    cert: text(
      "Signing certificate in PEM format. If `cert` and `cert_file` are empty, a key and certificate are generated.",
    ),
    cert_file: text("Path of the PEM file with the signing certificate."),
    key: secret(
      "Private RSA key of the signing certificate in PEM format. The alternative name key_file takes the path of its file.",
    ),
    extra_cert_files: texts("Paths of additional certificates in the metadata, for the next or the previous key."),
    key_rotation_interval: duration("0s", "Age at which a generated key is replaced. 0 disables replacement.", {
      maximum: tenYears,
      reload: "restart",
    }),
    key_publish_delay: duration(
      "336h",
      "Time for which a generated key is in the metadata before it signs, and for which it stays after it is replaced.",
      { maximum: tenYears, reload: "restart" },
    ),
    signature_method: choice(["http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"], "Signature algorithm."),
    default_expire_time: duration("1h", "Maximum lifetime of a session at service providers (SessionNotOnOrAfter).", {
      maximum: 24 * 24 * 60 * 60 * 1000,
    }),
    name_id_format: choice(["persistent", "transient", "email", "unspecified"], "Format of the name ID."),
    persistent_id_secret: secret(
      "Secret from which persistent name IDs are derived. It must never change. If empty, storage.redis.encryption_secret is used.",
      { minLength: 16 },
    ),
    slo: Slo,
    metadata: Metadata,
    service_providers: entries("Service providers.", SamlProvider),
  },
  { reload: "live" },
);
