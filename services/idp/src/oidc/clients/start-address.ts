import type { OidcClientConfig } from "@postern/shared/platform/config";

/** The page of an application that starts a sign-in (OpenID Connect Core §4); undefined if it has none. */
export function startAddress(
  { initiate_login_uri: uri, initiate_login_target: target }: OidcClientConfig,
  issuer: string,
): string | undefined {
  if (uri === "") return undefined;
  const url = new URL(uri);
  url.searchParams.set("iss", issuer);
  if (target !== "") url.searchParams.set("target_link_uri", target);
  return url.href;
}
