import { messages } from "../messages.ts";
import { checkEnabled, checkFilled, checkUnique, isSafeToFetch, type Judgement } from "./checks.ts";
import {
  choice,
  duration,
  entries,
  flag,
  integer,
  liveSection,
  secret,
  section,
  text,
  texts,
  yearMs,
} from "./fields.ts";
import { usersOf } from "./identity-mfa.ts";
import type { Config, SamlProviderConfig } from "./root.ts";

const samlNameIds = ["", "persistent", "transient", "email", "unspecified"] as const;
const samlEncryptions = ["auto", "none", "aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"] as const;
const samlLogoutBindings = ["redirect", "post"] as const;
const samlPresets = ["none", "basic", "urn_oid", "eduperson"] as const;

const SamlConsumer = section("An assertion consumer service.", {
  url: text("URL to which assertions are posted.", { form: "http-url" }),
  index: integer(0, "Index by which a request may select it.", { maximum: 65_535 }),
  default: flag("Whether it is used when a request selects none. If no entry is the default, the first is used."),
});

const SamlAttribute = section("An attribute under the name that the service provider expects.", {
  attribute: text(
    "Backend attribute with the values, or `domain.<name>`: the attribute <name> of the account's domain (auth.domains.records).",
  ),
  name: text("Name of the attribute in the assertion. If empty, the backend attribute's name is used."),
  friendly_name: text("FriendlyName of the attribute."),
  name_format: text("NameFormat of the attribute. If empty, `uri` for names with a colon, `basic` for all others."),
});

const Metadata = section("Metadata of the service provider. It supplies the values that this entry does not set.", {
  url: text("URL of the metadata: https, or http on a loopback address.", { form: "http-url" }),
  file: text("Path of a metadata file, in place of a URL."),
  cert: text("Certificates or public keys in PEM format, one of which must have signed the metadata."),
  cert_file: text("Path of the PEM file with these certificates or public keys."),
  allow_unsigned: flag("Whether unsigned metadata from the URL is accepted."),
});

const exchanged = {
  name: text("Name of the service provider on the sign-in page."),
  entity_id: text("Entity ID of the service provider.", { maxLength: 1024 }),
  metadata: Metadata,
  acs_url: text("URL to which assertions are posted.", { form: "http-url" }),
  assertion_consumer_services: entries("Additional assertion consumer services.", SamlConsumer),
  slo_url: text("URL for single logout through the browser.", { form: "http-url" }),
  slo_binding: choice(
    samlLogoutBindings,
    "Binding of logout requests to `slo_url`. Responses use the binding of the request.",
    { default: "redirect" },
  ),
  slo_back_channel_url: text("URL for single logout over SOAP.", { form: "http-url" }),
  cert: text(
    "Certificates of the service provider in PEM format. They verify its messages and encrypt its assertions.",
  ),
  cert_file: text("Path of the PEM file with these certificates."),
  authn_requests_signed: flag("Whether sign-in requests must be signed."),
  logout_requests_signed: flag(
    "Whether logout requests must be signed, even if no certificate of the service provider is known.",
  ),
  allow_unsigned_logout_requests: flag(
    "Whether unsigned logout requests are accepted although a certificate is known. Any web page can then sign out the users of the service provider.",
  ),
  logout_responses_signed: flag("Whether logout responses must be signed."),
};

const released = {
  name_id_format: choice(samlNameIds, "Format of the name ID. If empty, the general setting applies.", { default: "" }),
  allowed_attributes: texts(
    "Backend attributes that are released to the service provider. If empty, no attributes are released.",
  ),
  attribute_preset: choice(
    samlPresets,
    "Names of the allowed attributes in assertions: as in the backend (`none`, `basic`) or object identifiers (`urn_oid`, `eduperson`). `eduperson` also releases an account name with @ as `eduPersonPrincipalName` if the backend has none.",
    { default: "none" },
  ),
  attributes: entries("Attributes that are released under names of the service provider's choice.", SamlAttribute),
  encryption: choice(
    samlEncryptions,
    "Encryption of assertions, used if an RSA certificate is known. `auto` selects the best algorithm in the metadata, or `aes256-gcm` if it lists none.",
    { default: "auto" },
  ),
};

const SamlProvider = section("A SAML service provider.", {
  ...exchanged,
  ...released,
  ...usersOf("service provider"),
});

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

const MetadataHandling = section("Handling of service provider metadata.", {
  refresh_interval: duration(
    "6h",
    "Interval at which metadata is read again. A shorter `cacheDuration` in the metadata takes precedence.",
    { minimum: 1000 },
  ),
  request_timeout: duration("10s", "Timeout of fetching a document.", { minimum: 1, maximum: 60_000 }),
  max_bytes: integer(4_194_304, "Maximum size of a document.", { unit: "bytes", minimum: 1024, maximum: 16_777_216 }),
});

export const IdentitySaml = liveSection("SAML 2.0 identity provider.", {
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
    maximum: 10 * yearMs,
    reload: "restart",
  }),
  key_publish_delay: duration(
    "336h",
    "Time for which a generated key is in the metadata before it signs, and for which it stays after it is replaced.",
    { maximum: 10 * yearMs, reload: "restart" },
  ),
  signature_method: choice(["http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"], "Signature algorithm."),
  default_expire_time: duration("1h", "Maximum lifetime of a session at service providers (SessionNotOnOrAfter)."),
  name_id_format: choice(["persistent", "transient", "email", "unspecified"], "Format of the name ID."),
  persistent_id_secret: secret(
    "Secret from which persistent name IDs are derived. It must never change. If empty, storage.redis.encryption_secret is used.",
    { minLength: 16 },
  ),
  slo: Slo,
  metadata: MetadataHandling,
  service_providers: entries("Service providers.", SamlProvider),
});

const root = "identity.saml";

/** @returns whether there are any */
function validateMetadata({ metadata }: SamlProviderConfig, path: string, { problem }: Judgement): boolean {
  const { url, file, cert, cert_file, allow_unsigned } = metadata;
  if (url === "") return file !== "";
  if (file !== "") problem(`${path}.metadata.file`, messages.metadataPlaces);
  if (!isSafeToFetch(url)) problem(`${path}.metadata.url`, messages.metadataUrl);
  if (cert === "" && cert_file === "" && !allow_unsigned) problem(`${path}.metadata.cert`, messages.metadataTrust);
  return true;
}

function validateProvider(provider: SamlProviderConfig, path: string, judgement: Judgement): void {
  const { problem } = judgement;
  const { entity_id, acs_url, assertion_consumer_services: consumers } = provider;
  if (entity_id === "") problem(`${path}.entity_id`, messages.required);
  const hasMetadata = validateMetadata(provider, path, judgement);
  if (acs_url === "" && consumers.length === 0 && !hasMetadata) problem(`${path}.acs_url`, messages.required);
  checkFilled(consumers, `${path}.assertion_consumer_services`, "url", judgement);
  if (provider.logout_requests_signed && provider.allow_unsigned_logout_requests) {
    problem(`${path}.allow_unsigned_logout_requests`, messages.contradicts("logout_requests_signed"));
  }
  if (!hasMetadata) validateKeys(provider, path, judgement);
}

/** What the service provider signs, and what is encrypted for it, needs its certificate. */
function validateKeys(provider: SamlProviderConfig, path: string, { problem }: Judgement): void {
  const { cert, cert_file, encryption } = provider;
  const { authn_requests_signed, logout_requests_signed, logout_responses_signed } = provider;
  if (cert !== "" || cert_file !== "") return;
  if (authn_requests_signed || logout_requests_signed || logout_responses_signed) {
    problem(`${path}.cert`, messages.needsWhen("messages of the service provider must be signed"));
  }
  if (encryption !== "auto" && encryption !== "none") {
    problem(`${path}.cert`, messages.needsWhen(`encryption is ${encryption}`));
  }
}

/** Rules between keys; keys and certificates are checked when they are loaded. */
export function validateSaml({ identity }: Config, judgement: Judgement): void {
  const { saml, frontend, oidc } = identity;
  if (!saml.enabled) return;
  const { problem, warning } = judgement;
  checkEnabled(saml, root, ["entity_id"], judgement);
  const enabled = messages.needsWhen(`${root}.enabled is true`);
  if (!frontend.enabled) problem("identity.frontend.enabled", enabled);
  if (oidc.issuer === "") problem("identity.oidc.issuer", enabled);
  if ((saml.cert === "" && saml.cert_file === "") !== (saml.key === "")) {
    problem(`${root}.key`, messages.pairOfFiles(`${root}.cert`));
  }
  if (saml.persistent_id_secret === "") warning(`${root}.persistent_id_secret`, messages.persistentIds);
  const list = `${root}.service_providers`;
  saml.service_providers.forEach((provider, index) => validateProvider(provider, `${list}[${index}]`, judgement));
  checkUnique(saml.service_providers, [list, "entity_id"], messages.clientTwice, judgement);
}
