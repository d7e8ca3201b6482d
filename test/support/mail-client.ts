import * as oauth from "oauth4webapi";
import { type Browser, createBrowser, type Page } from "./browser.ts";
import type { OidcStack } from "./oidc-stack.ts";

/** A mail program on the user's machine, built on a stock OAuth library. Each request goes to the next replica. */
export interface MailClient {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  readonly redirectUri: string;
  /** The authorization request and the pages until the consent page. */
  toConsent(browser: Browser, more?: Readonly<Record<string, string>>): Promise<Page>;
  /** Exchanges the code in the redirect that ends the consent. */
  redeem(
    page: Page,
    more?: Readonly<Record<string, string>>,
    /** Binds the tokens to this key. */
    keys?: CryptoKeyPair,
  ): Promise<oauth.TokenEndpointResponse>;
  refresh(token: string, more?: Readonly<Record<string, string>>): Promise<oauth.TokenEndpointResponse>;
}

/** What a mail program reaches: the listeners of idp under the issuer's address. */
export type MailIssuer = Pick<OidcStack, "issuer" | "replicas" | "ask">;

export const mailScope = "urn:ietf:params:oauth:scope:mail";

let turn = 0;

interface LibraryRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: BodyInit | null | undefined;
}

/** Requests of the library, sent to the replicas in turn. */
export function inTurn(oidc: MailIssuer) {
  return async (url: string, { method = "GET", headers = {}, body = null }: LibraryRequest = {}): Promise<Response> => {
    const { pathname, search, origin } = new URL(url);
    if (origin !== oidc.issuer) throw new Error(`the metadata names another origin: ${origin}`);
    turn += 1;
    return oidc.ask(turn % oidc.replicas.length, `${pathname}${search}`, { method, headers, body });
  };
}

export async function discover(oidc: MailIssuer): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(oidc.issuer);
  const options = {
    algorithm: "oauth2",
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: inTurn(oidc),
  } as const;
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}

export async function registerMailClient(
  oidc: MailIssuer,
  metadata: Partial<oauth.Client> = {},
  redirectUri = "http://127.0.0.1/callback",
): Promise<MailClient> {
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: inTurn(oidc) } as const;
  const as = await discover(oidc);
  const request = {
    client_name: "Example Mail",
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
    scope: `${mailScope} offline_access`,
    ...metadata,
  };
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(as, request, options),
  );
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const auth = oauth.None();
  // A native application listens on a port that it gets when it starts.
  const used = redirectUri.replace("127.0.0.1/", "127.0.0.1:49152/");
  return {
    as,
    client,
    redirectUri: used,
    toConsent: async (browser, more = {}) => {
      const query = new URLSearchParams({
        response_type: "code",
        client_id: client.client_id,
        redirect_uri: used,
        scope: `${mailScope} offline_access`,
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...more,
      });
      return browser.open(`${new URL(as.authorization_endpoint ?? "").pathname}?${query.toString()}`);
    },
    redeem: async (page, more = {}, keys) => {
      const params = oauth.validateAuthResponse(as, client, new URL(page.location ?? "", oidc.issuer), state);
      const response = await oauth.authorizationCodeGrantRequest(as, client, auth, params, used, verifier, {
        ...options,
        additionalParameters: more,
        ...(keys !== undefined && { DPoP: oauth.DPoP({ [oauth.clockSkew]: 0 }, keys) }),
      });
      return oauth.processAuthorizationCodeResponse(as, client, response);
    },
    refresh: async (token, more = {}) =>
      oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, auth, token, { ...options, additionalParameters: more }),
      ),
  };
}

/** A browser in which this account is signed in, by the cookie of its session. */
export function signedInBrowser(oidc: Pick<MailIssuer, "replicas">, cookie: string): Browser {
  const browser = createBrowser(oidc.replicas);
  const [name = "", value = ""] = cookie.split("=");
  browser.cookies.set(name, value);
  return browser;
}
