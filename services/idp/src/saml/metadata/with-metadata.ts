import { type KeyObject, X509Certificate } from "node:crypto";
import type { SamlProviderConfig } from "@postern/shared/platform/config";
import { requestedKind } from "../outbound/name-id.ts";
import { bindings } from "../protocol/names.ts";
import { encryptionWay } from "./encryption-way.ts";
import type { EntityFacts } from "./entity-facts.ts";

/** The first supported format; `unspecified` expresses no preference. */
function nameIdFormatOf({ nameIdFormats }: EntityFacts): SamlProviderConfig["name_id_format"] {
  return nameIdFormats.map(requestedKind).find((kind) => kind !== undefined && kind !== "any") ?? "";
}

/** Only https, because we send requests there. */
function backChannelOf({ logoutServices }: EntityFacts): string {
  const address = logoutServices.find(({ binding }) => binding === bindings.soap)?.location ?? "";
  return address.startsWith("https:") ? address : "";
}

const or = <T extends string>(configured: T, fallback: T): T => (configured === "" ? fallback : configured);

/**
 * The configuration completed by the metadata. Configured values take precedence; a signature is required if either
 * requires it.
 */
export function withMetadata(config: SamlProviderConfig, facts: EntityFacts): SamlProviderConfig {
  return {
    ...config,
    slo_back_channel_url: or(config.slo_back_channel_url, backChannelOf(facts)),
    name_id_format: or(config.name_id_format, nameIdFormatOf(facts)),
    encryption:
      config.encryption === "auto" ? (encryptionWay(facts.encryptionMethods).name ?? "auto") : config.encryption,
    authn_requests_signed: config.authn_requests_signed || facts.authnRequestsSigned,
  };
}

export function keysOfCertificates(certificates: readonly string[]): readonly KeyObject[] {
  return certificates.map((certificate) => new X509Certificate(Buffer.from(certificate, "base64")).publicKey);
}
