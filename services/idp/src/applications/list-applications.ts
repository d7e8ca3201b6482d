import { X509Certificate } from "node:crypto";
import type { ApplicationList } from "@postern/shared/contracts";
import type { SamlProviderConfig } from "@postern/shared/platform/config";
import { authMethodOf, type ClientPolicy } from "../oidc/clients/clients.ts";
import { certificatesOfPem } from "../saml/keys/pem-keys.ts";
import type { EntityFacts } from "../saml/metadata/read-metadata.ts";
import type { ClientKind, ClientUseStore } from "./client-uses-redis.ts";

/** A service provider, with its metadata if that was loaded. */
export interface ListedProvider {
  readonly config: SamlProviderConfig;
  readonly facts: EntityFacts | undefined;
}

export type ListApplications = () => Promise<ApplicationList>;

type OidcApplication = ApplicationList["oidc"][number];
type SamlApplication = ApplicationList["saml"][number];
type Certificate = SamlApplication["certificates"][number];

const isoOf = (ms: number): string => new Date(ms).toISOString();

function usedOf(uses: ReadonlyMap<string, number>, id: string): { readonly last_used?: string } {
  const seconds = uses.get(id);
  return seconds === undefined ? {} : { last_used: isoOf(seconds * 1000) };
}

function shownClient(policy: ClientPolicy, uses: ReadonlyMap<string, number>): OidcApplication {
  const { id, config, scopes, keys } = policy;
  return {
    client_id: id,
    name: config.name,
    authentication: authMethodOf(config),
    grant_types: [...config.grant_types],
    redirect_uris: [...config.redirect_uris],
    scopes: [...scopes],
    keys: keys.length,
    ...usedOf(uses, id),
  };
}

function endsOf(use: string, certificates: readonly X509Certificate[]): readonly Certificate[] {
  return certificates.map(({ validToDate }) => ({ use, end: validToDate.toISOString() }));
}

const parsed = (texts: readonly string[]): readonly X509Certificate[] =>
  texts.map((text) => new X509Certificate(Buffer.from(text, "base64")));

/** Configured certificates take precedence over those of the metadata. */
function certificatesOf({ config, facts }: ListedProvider): readonly Certificate[] {
  const configured = certificatesOfPem(config, config.entity_id);
  if (configured.length > 0 || facts === undefined) return endsOf("any", configured);
  return [
    ...endsOf("signing", parsed(facts.signingCertificates)),
    ...endsOf("encryption", parsed(facts.encryptionCertificates)),
  ];
}

function stateOf({ config: { metadata }, facts }: ListedProvider, nowMs: number): string {
  if (metadata.url === "" && metadata.file === "") return "usable";
  if (facts === undefined) return "metadata_missing";
  return (facts.validUntilMs ?? Infinity) <= nowMs ? "metadata_expired" : "usable";
}

function shownProvider(provider: ListedProvider, uses: ReadonlyMap<string, number>, nowMs: number): SamlApplication {
  const { config, facts } = provider;
  return {
    entity_id: config.entity_id,
    name: config.name,
    state: stateOf(provider, nowMs),
    metadata: config.metadata.url === "" ? config.metadata.file : config.metadata.url,
    ...(facts?.validUntilMs !== undefined && { metadata_end: isoOf(facts.validUntilMs) }),
    certificates: [...certificatesOf(provider)],
    ...usedOf(uses, config.entity_id),
  };
}

/**
 * The list is complete without Redis, except for the last uses.
 * @param clients clients of the configuration.
 */
export function createListApplications(
  clients: () => readonly ClientPolicy[],
  providers: () => readonly ListedProvider[],
  uses: Pick<ClientUseStore, "read">,
  nowMs: () => number,
): ListApplications {
  const usesOf = async (kind: ClientKind, ids: readonly string[]): Promise<ReadonlyMap<string, number> | undefined> =>
    uses.read(kind, ids).catch(() => undefined);
  return async () => {
    const [policies, listed] = [clients(), providers()];
    const [clientIds, entityIds] = [policies.map(({ id }) => id), listed.map(({ config }) => config.entity_id)];
    const [ofClients, ofProviders] = await Promise.all([usesOf("oidc", clientIds), usesOf("saml", entityIds)]);
    const isRead = ofClients !== undefined && ofProviders !== undefined;
    return {
      oidc: policies.map((policy) => shownClient(policy, ofClients ?? new Map())),
      saml: listed.map((provider) => shownProvider(provider, ofProviders ?? new Map(), nowMs())),
      incomplete: isRead ? [] : ["the last use of applications could not be read"],
    };
  };
}
