import { messages } from "../messages.ts";
import type { Config, SamlProviderConfig } from "../schema/root.ts";
import type { Judgement } from "./judgement.ts";
import { isSafeToFetch } from "./safe-to-fetch.ts";

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

function validateSignatures(
  provider: SamlProviderConfig,
  path: string,
  hasMetadata: boolean,
  { problem }: Judgement,
): void {
  const { cert, cert_file, encryption, allow_unsigned_logout_requests: takesUnsigned } = provider;
  const { authn_requests_signed, logout_requests_signed, logout_responses_signed } = provider;
  const needs = authn_requests_signed || logout_requests_signed || logout_responses_signed;
  if (logout_requests_signed && takesUnsigned)
    problem(`${path}.allow_unsigned_logout_requests`, messages.contradicts("logout_requests_signed"));
  if (cert !== "" || cert_file !== "" || hasMetadata) return;
  if (needs) problem(`${path}.cert`, messages.needsWhen("messages of the service provider must be signed"));
  if (!["auto", "none"].includes(encryption))
    problem(`${path}.cert`, messages.needsWhen(`encryption is ${encryption}`));
}

function validateProvider(provider: SamlProviderConfig, path: string, judgement: Judgement): void {
  const { problem } = judgement;
  const { entity_id, acs_url, assertion_consumer_services: consumers } = provider;
  if (entity_id === "") problem(`${path}.entity_id`, messages.required);
  const hasMetadata = validateMetadata(provider, path, judgement);
  if (acs_url === "" && consumers.length === 0 && !hasMetadata) problem(`${path}.acs_url`, messages.required);
  consumers.forEach(({ url }, index) => {
    if (url === "") problem(`${path}.assertion_consumer_services[${index}].url`, messages.required);
  });
  validateSignatures(provider, path, hasMetadata, judgement);
}

/** Cross-key rules of `identity.saml`; its keys and certificates are checked when they are loaded. */
export function validateSaml(config: Config, judgement: Judgement): void {
  const { saml, frontend, oidc } = config.identity;
  if (!saml.enabled) return;
  const { problem, warning } = judgement;
  const enabled = messages.needsWhen(`${root}.enabled is true`);
  if (saml.entity_id === "") problem(`${root}.entity_id`, enabled);
  if (!frontend.enabled) problem("identity.frontend.enabled", enabled);
  if (oidc.issuer === "") problem("identity.oidc.issuer", enabled);
  if ((saml.cert === "" && saml.cert_file === "") !== (saml.key === "")) {
    problem(`${root}.key`, messages.pairOfFiles(`${root}.cert`));
  }
  if (saml.persistent_id_secret === "") warning(`${root}.persistent_id_secret`, messages.persistentIds);
  const seen = new Set<string>();
  saml.service_providers.forEach((provider, index) => {
    const path = `${root}.service_providers[${index}]`;
    validateProvider(provider, path, judgement);
    if (seen.has(provider.entity_id)) problem(`${path}.entity_id`, messages.clientTwice);
    seen.add(provider.entity_id);
  });
}
