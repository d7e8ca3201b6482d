import { choice, entries, flag, integer, section, text, texts } from "./fields.ts";
import { ClientMfaPolicy } from "./identity-frontend.ts";

const samlNameIds = ["", "persistent", "transient", "email", "unspecified"] as const;
const samlEncryptions = ["auto", "none", "aes256-gcm", "aes128-gcm", "aes256-cbc", "aes128-cbc"] as const;
const samlPresets = ["none", "basic", "urn_oid", "eduperson"] as const;

const SamlConsumer = section("An address that takes assertions.", {
  url: text("", { description: "Its URL; assertions are posted there.", form: "http-url" }),
  index: integer(0, { description: "By which a request may name it.", maximum: 65_535 }),
  default: flag(false, { description: "Taken when a request names none; else the first." }),
});

const SamlAttribute = section("An attribute as the service provider knows it.", {
  attribute: text("", { description: "Attribute of the directory that gives its values." }),
  name: text("", { description: "Its name in the assertion; empty: as in the directory." }),
  friendly_name: text("", { description: "Its FriendlyName." }),
  name_format: text("", { description: "Its NameFormat; empty: uri for names with a colon, else basic." }),
});

const messages = {
  name: text("", { description: "Name on the sign-in page." }),
  entity_id: text("", { description: "Its entity ID.", maxLength: 1024 }),
  acs_url: text("", { description: "Where its assertions are posted.", form: "http-url" }),
  assertion_consumer_services: entries("Further such addresses.", SamlConsumer),
  slo_url: text("", { description: "Its single logout address in the browser.", form: "http-url" }),
  slo_back_channel_url: text("", { description: "Its single logout address for SOAP.", form: "http-url" }),
  cert: text("", { description: "PEM of its certificates: they verify what it signs and encrypt what it gets." }),
  cert_file: text("", { description: "File of that PEM." }),
  authn_requests_signed: flag(false, { description: "Refuse its sign-in requests without a signature." }),
  logout_requests_signed: flag(false, { description: "Refuse its logout requests without a signature." }),
  logout_responses_signed: flag(false, { description: "Refuse its logout responses without a signature." }),
};

const released = {
  name_id_format: choice(samlNameIds, "", { description: "How it knows users; empty: as all service providers." }),
  allowed_attributes: texts([], { description: "Attributes of the directory that it gets; none by default." }),
  attribute_preset: choice(samlPresets, "none", {
    description:
      "Names of the allowed attributes: as in the directory, urn_oid for their object identifiers, eduperson beside these with affiliations.",
  }),
  attributes: entries("Attributes under names of its own; allowed thereby.", SamlAttribute),
  encryption: choice(samlEncryptions, "auto", {
    description: "Encryption of its assertions; auto: aes256-gcm where an RSA certificate is configured.",
  }),
};

const signIn = {
  require_mfa: texts([], { description: "Second factors that its users must have." }),
  supported_mfa: texts([], { description: "Second factors that its users may use." }),
  required_mfa_level: text("", { description: "Name or number of the level that a sign-in must reach." }),
  mfa_policy: ClientMfaPolicy,
  delayed_response: flag(false, { description: "Tell of a wrong password only after the second factor." }),
};

/** A service provider (behaviour reference §3.1). */
export const SamlProvider = section("A service provider.", { ...messages, ...released, ...signIn });
