import { createHash } from "node:crypto";
import type { Browser, Page } from "../../support/browser.ts";
import type { Tree } from "../../support/stack-config.ts";

/** The issuer that `startIdpStack` configures. */
export const issuer = "http://localhost:8080";
export const callback = "http://127.0.0.1:8090/callback";

/** A public client with one redirect URI, which needs no consent. */
export function publicClient(name: string, more: Tree = {}): Tree {
  return {
    client_id: name,
    token_endpoint_auth_method: "none",
    redirect_uris: [callback],
    scopes: ["openid"],
    grant_types: ["authorization_code"],
    skip_consent: true,
    ...more,
  };
}

/** Follows redirects within the issuer. The returned page may itself redirect to the client. */
export async function follow(browser: Browser, page: Page): Promise<Page> {
  let now = page;
  for (let hops = 0; hops < 12; hops += 1) {
    const place = now.location?.replace(issuer, "");
    if (place?.startsWith("/") !== true) return now;
    now = await browser.get(place);
  }
  return now;
}

/** Sends an authorization request with PKCE and follows redirects within the issuer. */
export async function authorize(
  browser: Browser,
  clientId: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Page> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: callback,
    response_type: "code",
    scope: "openid",
    code_challenge: createHash("sha256").update("verifier-".repeat(6)).digest("base64url"),
    code_challenge_method: "S256",
    ...more,
  });
  return follow(browser, await browser.get(`/oidc/authorize?${query.toString()}`));
}

/** Submits the password in a sign-in for the client. @returns the page that follows */
export async function passwordStep(
  browser: Browser,
  clientId: string,
  fields: Readonly<Record<string, string>>,
): Promise<Page> {
  return follow(browser, await browser.submit(await authorize(browser, clientId), fields));
}
