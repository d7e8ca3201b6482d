import {
  type ClaimMappingConfig,
  claimNameOf,
  claimOwners,
  customScopesOf,
  type OidcClientConfig,
  type OidcConfig,
  scopeClaims,
} from "@postern/shared/platform/config";
import type { Logger } from "@postern/shared/platform/logging";
import type { Clock } from "@postern/shared/platform/time";
import { claimTable, type OidcSettings } from "../settings/oidc-settings.ts";
import { type ClaimSources, hasSource, type OnUnreadable } from "./claims.ts";

/** Claims about the sign-in, which belong to no scope but `openid`. */
const protocolClaims: ReadonlySet<string> = new Set(["sub", "sid", "acr", "amr", "auth_time", "iss"]);

/** Claims by which mail servers find the mailbox: access tokens carry them with any scope. */
const mailboxClaims: ReadonlySet<string> = new Set(["email", "preferred_username"]);

function sourcesOf(oidc: OidcConfig, client: OidcClientConfig): ClaimSources {
  const claims = customScopesOf(oidc, client).flatMap((scope) => scope.claims);
  const toMapping = ({ name, attribute, type }: (typeof claims)[number]): ClaimMappingConfig => ({
    claim: name,
    attribute: attribute === "" ? name : attribute,
    from: "",
    constant: "",
    type,
  });
  return {
    named: claims.filter(({ attribute }) => attribute === "").map(toMapping),
    mappings: [
      ...claims.filter(({ attribute }) => attribute !== "").map(toMapping),
      ...oidc.claim_mappings,
      ...client.id_token_claims.mappings,
    ],
  };
}

/** Which claims about its users a client may receive, and where their values come from (ADR 0120). */
export function clientClaims(oidc: OidcConfig, client: OidcClientConfig) {
  const table = scopeClaims(oidc.scopes_supported, customScopesOf(oidc, client));
  const owners = claimOwners(table);
  const ownersOf = (claim: string): readonly string[] => owners.get(claim) ?? [];
  const obtainable = new Set([...client.scopes, ...client.custom_scopes.map(({ name }) => name)]);
  const mappedForClient = new Set(client.id_token_claims.mappings.map(({ claim }) => claimNameOf(claim)));
  const isCovered = (claim: string, scopes: readonly string[]): boolean => {
    const scopesOfClaim = ownersOf(claim);
    return scopesOfClaim.length === 0 || scopesOfClaim.some((scope) => scopes.includes(scope));
  };
  return {
    ...sourcesOf(oidc, client),
    /** The claims that these scopes release. */
    ofScopes: (scopes: readonly string[]) => scopes.flatMap((scope) => table.get(scope) ?? []),
    /** Whether the client may request the claim by name (OpenID Connect Core §5.5). */
    mayRequest: (claim: string): boolean => {
      if (protocolClaims.has(claim)) return true;
      const scopesOfClaim = ownersOf(claim);
      return scopesOfClaim.length === 0
        ? mappedForClient.has(claim)
        : scopesOfClaim.some((scope) => obtainable.has(scope));
    },
    /**
     * The scope that stands for a claim requested by name, on the consent page and in the remembered consent; undefined for a
     * claim of no scope, and for one that the requested scopes release anyway.
     */
    scopeOf: (claim: string, requested: readonly string[]) =>
      protocolClaims.has(claim) || isCovered(claim, requested)
        ? undefined
        : ownersOf(claim).find((scope) => obtainable.has(scope)),
    /** Whether consent to these scopes covers a claim requested by name. */
    isCovered: (claim: string, scopes: readonly string[]) => protocolClaims.has(claim) || isCovered(claim, scopes),
    /** The claims that the client's mappings put into ID tokens with these scopes. */
    idTokenClaims: (scopes: readonly string[]) => [...mappedForClient].filter((claim) => isCovered(claim, scopes)),
    /** The client's mappings for access tokens and introspection, with these scopes. */
    accessTokenMappings: (scopes: readonly string[]) =>
      client.access_token_claims.mappings.filter(
        ({ claim }) => mailboxClaims.has(claim) || isCovered(claimNameOf(claim), scopes),
      ),
  };
}

export type ClientClaims = ReturnType<typeof clientClaims>;

/** The scopes that stand for these claims, each once. */
export function scopesForClaims(
  { scopeOf }: Pick<ClientClaims, "scopeOf">,
  claims: Iterable<string>,
  requested: readonly string[],
): readonly string[] {
  const scopes: string[] = [];
  for (const claim of claims) {
    const scope = scopeOf(claim, [...requested, ...scopes]);
    if (scope !== undefined) scopes.push(scope);
  }
  return scopes;
}

/** `claims_supported` (OpenID Connect Discovery §3): the claims that have a source for at least one client. */
export function supportedClaims(settings: OidcSettings, clients: readonly ClaimSources[]): readonly string[] {
  const { oidc, attributes } = settings;
  const names = new Set(Object.entries(claimTable(settings)).flatMap(([name, claims]) => claims ?? [name]));
  return [...names].filter(
    (claim) =>
      protocolClaims.has(claim) ||
      oidc.claims_supported.includes(claim) ||
      clients.some((sources) => hasSource(claim, sources, attributes)),
  );
}

/** Every user of a client may have such a value: one line per hour and claim is enough to find the mapping. */
const quietMs = 3_600_000;

/**
 * Reports claims that are omitted because their value does not fit their type. Logs the mapping, never the value. Clients and claims come
 * from the configuration, so the map stays small.
 */
export function createReportUnreadable(logger: Pick<Logger, "warn">, clock: Clock) {
  const reported = new Map<string, number>();
  return (client: string): OnUnreadable =>
    ({ claim, type }) => {
      const key = `${client} ${claim}`;
      const now = clock.now();
      if (now < (reported.get(key) ?? 0)) return;
      reported.set(key, now + quietMs);
      logger.warn({ client, claim, type }, "claim omitted: the mapped value does not match its type");
    };
}

export type ReportUnreadable = ReturnType<typeof createReportUnreadable>;
