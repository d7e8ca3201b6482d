import { type KeyObject, X509Certificate } from "node:crypto";
import type { SamlProviderConfig } from "@postern/shared/config";
import { bindings } from "../names.ts";
import { askedKind } from "../outbound/name-id.ts";
import type { EntityFacts } from "./entity-facts.ts";

const encryptionNames = {
  "http://www.w3.org/2009/xmlenc11#aes256-gcm": "aes256-gcm",
  "http://www.w3.org/2009/xmlenc11#aes128-gcm": "aes128-gcm",
} as const;

/** The first format that means something to us; the unspecified one is no wish. */
function nameIdFormatOf({ nameIdFormats }: EntityFacts): SamlProviderConfig["name_id_format"] {
  return nameIdFormats.map(askedKind).find((kind) => kind !== undefined && kind !== "any") ?? "";
}

/** The older modes are for who configures them: a document cannot ask for less. */
function encryptionOf({ encryptionMethods }: EntityFacts): SamlProviderConfig["encryption"] {
  const known = Object.entries(encryptionNames).find(([uri]) => encryptionMethods.includes(uri));
  return known === undefined ? "auto" : known[1];
}

function addressOf({ logoutServices }: EntityFacts, binding: string): string | undefined {
  return logoutServices.find((service) => service.binding === binding)?.location;
}

/** Over TLS alone: it is we who ask there. */
function backChannelOf(facts: EntityFacts): string {
  const address = addressOf(facts, bindings.soap) ?? "";
  return address.startsWith("https:") ? address : "";
}

const or = <T extends string>(configured: T, told: T): T => (configured === "" ? told : configured);

/** The configuration with what the metadata add to it; what is configured stays, and a signature that either demands is demanded. */
export function withMetadata(config: SamlProviderConfig, facts: EntityFacts): SamlProviderConfig {
  const front = addressOf(facts, bindings.redirect) ?? addressOf(facts, bindings.post) ?? "";
  return {
    ...config,
    slo_url: or(config.slo_url, front),
    slo_back_channel_url: or(config.slo_back_channel_url, backChannelOf(facts)),
    name_id_format: or(config.name_id_format, nameIdFormatOf(facts)),
    encryption: config.encryption === "auto" ? encryptionOf(facts) : config.encryption,
    authn_requests_signed: config.authn_requests_signed || facts.authnRequestsSigned,
  };
}

export function keysOfCertificates(certificates: readonly string[]): readonly KeyObject[] {
  return certificates.map((certificate) => new X509Certificate(Buffer.from(certificate, "base64")).publicKey);
}
