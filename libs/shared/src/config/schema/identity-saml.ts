import { choice, duration, entries, flag, integer, secret, section, text, texts } from "./fields.ts";
import { SamlProvider } from "./identity-saml-provider.ts";

const tenYears = 3650 * 24 * 60 * 60 * 1000;

const Slo = section("Single logout.", {
  enabled: flag(true, { description: "Serve /saml/slo." }),
  front_channel_enabled: flag(true, { description: "Tell service providers of logouts through the browser." }),
  back_channel_enabled: flag(false, { description: "Tell service providers of logouts by SOAP." }),
  request_timeout: duration("3s", { description: "For a service provider to answer, by SOAP or in the browser." }),
  max_participants: integer(64, { description: "Service providers that one session tells.", minimum: 1, maximum: 256 }),
  back_channel_max_retries: integer(1, {
    description: "Further tries of a SOAP request within one attempt; attempts are repeated for a day.",
    maximum: 5,
  }),
});

const Metadata = section("How metadata of service providers are kept.", {
  refresh_interval: duration("6h", {
    description: "How often each is fetched or read again; sooner where its cacheDuration says so.",
    minimum: 1000,
  }),
  request_timeout: duration("10s", { description: "For fetching one document.", minimum: 1, maximum: 60_000 }),
  max_bytes: integer(4_194_304, {
    description: "Largest document.",
    unit: "bytes",
    minimum: 1024,
    maximum: 16_777_216,
  }),
});

/** `identity.saml` (behaviour reference §3.1). */
export const IdentitySaml = section("The SAML 2.0 identity provider.", {
  enabled: flag(false, { description: "Serve SAML; needs identity.frontend." }),
  entity_id: text("", { description: "Our entity ID; from its origin come our addresses.", maxLength: 1024 }),
  cert: text("", { description: "PEM of our signing certificate; empty: key and certificate are made." }),
  cert_file: text("", { description: "File of that PEM." }),
  key: secret({ description: "PEM of our signing key, RSA; as every secret, { file: … } reads it from a file." }),
  extra_cert_files: texts([], { description: "Further certificates in the metadata: of the next or former key." }),
  key_rotation_interval: duration("0s", {
    description: "Age at which a made key gets a successor; 0: never.",
    maximum: tenYears,
  }),
  key_publish_delay: duration("336h", {
    description: "Time in the metadata before a made key signs, and after it did.",
    maximum: tenYears,
  }),
  signature_method: choice(
    ["http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"],
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
    {
      description: "Algorithm of our signatures.",
    },
  ),
  default_expire_time: duration("1h", {
    description: "Longest life of a session at service providers (SessionNotOnOrAfter).",
    maximum: 24 * 24 * 60 * 60 * 1000,
  }),
  name_id_format: choice(["persistent", "transient", "email", "unspecified"], "persistent", {
    description: "How service providers know users.",
  }),
  persistent_id_secret: secret({
    description: "Makes persistent name IDs; keep it for ever. Empty: of storage.redis.encryption_secret.",
    minLength: 16,
  }),
  slo: Slo,
  metadata: Metadata,
  service_providers: entries("Service providers.", SamlProvider),
});
