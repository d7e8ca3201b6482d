import { boolean, choice, entries, integer, section, string, stringList } from "./fields.ts";
import { ClientMfaPolicy } from "./identity-frontend.ts";

const samlNameIds = ["", "persistent", "transient", "email", "unspecified"] as const;
const samlEncryptions = ["auto", "none", "aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"] as const;
const samlLogoutBindings = ["redirect", "post"] as const;
const samlPresets = ["none", "basic", "urn_oid", "eduperson"] as const;

const SamlConsumer = section("An assertion consumer service.", {
  url: string("", { description: "URL to which assertions are posted.", form: "http-url" }),
  index: integer(0, { description: "Index by which a request may select it.", maximum: 65_535 }),
  default: boolean(false, {
    description: "Whether it is used when a request selects none. If no entry is the default, the first is used.",
  }),
});

const SamlAttribute = section("An attribute under the name that the service provider expects.", {
  attribute: string("", { description: "Backend attribute with the values." }),
  name: string("", {
    description: "Name of the attribute in the assertion. If empty, the backend attribute's name is used.",
  }),
  friendly_name: string("", { description: "FriendlyName of the attribute." }),
  name_format: string("", {
    description: "NameFormat of the attribute. If empty, `uri` for names with a colon, `basic` for all others.",
  }),
});

const Metadata = section("Metadata of the service provider. It supplies the values that this entry does not set.", {
  url: string("", { description: "URL of the metadata: https, or http on a loopback address.", form: "http-url" }),
  file: string("", { description: "Path of a metadata file, in place of a URL." }),
  cert: string("", {
    description: "Certificates or public keys in PEM format, one of which must have signed the metadata.",
  }),
  cert_file: string("", { description: "Path of the PEM file with these certificates or public keys." }),
  allow_unsigned: boolean(false, { description: "Whether unsigned metadata from the URL is accepted." }),
});

const messages = {
  name: string("", { description: "Name of the service provider on the sign-in page." }),
  entity_id: string("", { description: "Entity ID of the service provider.", maxLength: 1024 }),
  metadata: Metadata,
  acs_url: string("", { description: "URL to which assertions are posted.", form: "http-url" }),
  assertion_consumer_services: entries("Additional assertion consumer services.", SamlConsumer),
  slo_url: string("", { description: "URL for single logout through the browser.", form: "http-url" }),
  slo_binding: choice(samlLogoutBindings, "redirect", {
    description: "Binding of logout requests to `slo_url`. Responses use the binding of the request.",
  }),
  slo_back_channel_url: string("", { description: "URL for single logout over SOAP.", form: "http-url" }),
  cert: string("", {
    description:
      "Certificates of the service provider in PEM format. They verify its messages and encrypt its assertions.",
  }),
  cert_file: string("", { description: "Path of the PEM file with these certificates." }),
  authn_requests_signed: boolean(false, { description: "Whether sign-in requests must be signed." }),
  logout_requests_signed: boolean(false, {
    description: "Whether logout requests must be signed, even if no certificate of the service provider is known.",
  }),
  allow_unsigned_logout_requests: boolean(false, {
    description:
      "Whether unsigned logout requests are accepted although a certificate is known. Any web page can then sign out the users of the service provider.",
  }),
  logout_responses_signed: boolean(false, { description: "Whether logout responses must be signed." }),
};

const released = {
  name_id_format: choice(samlNameIds, "", {
    description: "Format of the name ID. If empty, the general setting applies.",
  }),
  allowed_attributes: stringList([], {
    description: "Backend attributes that are released to the service provider. If empty, no attributes are released.",
  }),
  attribute_preset: choice(samlPresets, "none", {
    description:
      "Names of the allowed attributes in assertions: as in the backend (`none`, `basic`) or object identifiers (`urn_oid`, `eduperson`). `eduperson` also releases an account name with @ as `eduPersonPrincipalName` if the backend has none.",
  }),
  attributes: entries("Attributes that are released under names of the service provider's choice.", SamlAttribute),
  encryption: choice(samlEncryptions, "auto", {
    description:
      "Encryption of assertions, used if an RSA certificate is known. `auto` selects the best algorithm in the metadata, or `aes256-gcm` if it lists none.",
  }),
};

const signIn = {
  require_mfa: stringList([], {
    description:
      "Second factors that users of this service provider must have set up: `totp`, `webauthn`, `recovery_codes`.",
  }),
  supported_mfa: stringList([], {
    description: "Second factors that this service provider accepts. If empty, it accepts all.",
  }),
  required_mfa_level: string("", {
    description: "Level that a sign-in must reach, as a number or the name of a second factor.",
  }),
  mfa_policy: ClientMfaPolicy,
  delayed_response: boolean(false, {
    description: "Whether a wrong password is reported only after the second factor, for accounts that have one.",
  }),
};

/** A service provider. */
export const SamlProvider = section("A SAML service provider.", { ...messages, ...released, ...signIn });
