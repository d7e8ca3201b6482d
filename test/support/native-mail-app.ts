import { createServer } from "node:http";
import { freePort } from "@postern/testing";
import * as oauth from "oauth4webapi";

/** A mail program on the user's machine: a stock OAuth library, and a listener on a loopback port that is free when it starts. */
export interface NativeMailApp extends AsyncDisposable {
  /** The address that it opens in the browser. */
  readonly signInUrl: string;
  /** The tokens, once the browser has come back. */
  tokens(): Promise<oauth.TokenEndpointResponse>;
  refresh(token: string): Promise<oauth.TokenEndpointResponse>;
  revoke(token: string): Promise<void>;
}

const options = { [oauth.allowInsecureRequests]: true } as const;

/** Discovers the server at its issuer, registers, and prepares a sign-in. */
export async function startNativeMailApp(issuer: string, scope: string): Promise<NativeMailApp> {
  const port = await freePort();
  const url = new URL(issuer);
  const as = await oauth.processDiscoveryResponse(
    url,
    await oauth.discoveryRequest(url, { algorithm: "oauth2", ...options }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      as,
      {
        client_name: "Native mail",
        redirect_uris: ["http://127.0.0.1/callback"],
        token_endpoint_auth_method: "none",
        application_type: "native",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        scope,
      },
      options,
    ),
  );
  const auth = oauth.None();
  const redirectUri = `http://127.0.0.1:${port}/callback`;
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const returned = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const at = new URL(request.url ?? "/", redirectUri);
    response.end("You can close this window.");
    if (at.pathname === "/callback") returned.resolve(at);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = new URL(as.authorization_endpoint ?? "");
  const query = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return {
    signInUrl: address.href,
    tokens: async () => {
      const params = oauth.validateAuthResponse(as, client, await returned.promise, state);
      const response = await oauth.authorizationCodeGrantRequest(
        as,
        client,
        auth,
        params,
        redirectUri,
        verifier,
        options,
      );
      return oauth.processAuthorizationCodeResponse(as, client, response);
    },
    refresh: async (token) =>
      oauth.processRefreshTokenResponse(
        as,
        client,
        await oauth.refreshTokenGrantRequest(as, client, auth, token, options),
      ),
    revoke: async (token) =>
      oauth.processRevocationResponse(await oauth.revocationRequest(as, client, auth, token, options)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
