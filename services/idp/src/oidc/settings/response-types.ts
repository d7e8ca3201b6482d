import {
  excludesImplicit,
  type ImplicitType,
  implicitTypes,
  type OidcClientConfig,
  type OidcConfig,
  permittedImplicitTypes,
} from "@postern/shared/platform/config";

export type ResponseType = "code" | ImplicitType;

export function siteResponseTypes(oidc: OidcConfig): readonly ResponseType[] {
  return ["code", ...permittedImplicitTypes(oidc)];
}

/**
 * The response types that a client may use. The implicit flow needs the permission of the site and the grant type of the
 * client, and is never available to a client that demands a protection which this flow lacks.
 *
 * @param named the response types of the implicit flow that the client registered; a configured client may use all
 */
export function clientResponseTypes(
  client: OidcClientConfig,
  oidc: OidcConfig,
  named: readonly string[] = implicitTypes,
): readonly ResponseType[] {
  const { grant_types: grants } = client;
  const isExcluded = !grants.includes("implicit") || excludesImplicit(client).length > 0;
  const implicit = isExcluded ? [] : permittedImplicitTypes(oidc).filter((type) => named.includes(type));
  return [...(grants.includes("authorization_code") ? (["code"] as const) : []), ...implicit];
}

/** The response modes that discovery lists: fragments only where authorization responses can contain tokens. */
export function responseModes(oidc: OidcConfig): readonly string[] {
  const hasTokens = permittedImplicitTypes(oidc).length > 0;
  const fragments = hasTokens ? ["fragment", "fragment.jwt"] : [];
  return ["query", "form_post", "jwt", "query.jwt", "form_post.jwt", ...fragments];
}

/** The response type of a request whose errors are returned in a fragment; undefined for all others. */
export function implicitTypeOf(responseType: unknown): ImplicitType | undefined {
  const words = typeof responseType === "string" ? responseType.split(" ").toSorted().join(" ") : "";
  return implicitTypes.find((type) => type === words);
}
