import { choice, entries, flag, integer, section, text, texts } from "./fields.ts";
import { ClientMfaPolicy } from "./identity-frontend.ts";

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
  attribute: text("Backend attribute with the values."),
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

const messages = {
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

const signIn = {
  require_mfa: texts(
    "Second factors that users of this service provider must have set up: `totp`, `webauthn`, `recovery_codes`.",
  ),
  supported_mfa: texts("Second factors that this service provider accepts. If empty, it accepts all."),
  required_mfa_level: text("Level that a sign-in must reach, as a number or the name of a second factor."),
  mfa_policy: ClientMfaPolicy,
  delayed_response: flag(
    "Whether a wrong password is reported only after the second factor, for accounts that have one.",
  ),
};

/** A service provider. */
export const SamlProvider = section("A SAML service provider.", { ...messages, ...released, ...signIn });
