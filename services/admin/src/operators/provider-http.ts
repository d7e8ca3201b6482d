import { pathTo } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import type { Logger } from "@postern/shared/platform/logging";
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientError,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { proofMs, sessionLifeMs } from "./operator-session.ts";
import type { SignInAttempt } from "./operator-sessions-redis.ts";

/** What the identity provider says about an operator who has just signed in. */
export interface SignedIn {
  readonly account: string;
  /** When the operator signed in there, in milliseconds since the epoch. */
  readonly signedInMs: number;
  /** See `OperatorProof`; undefined from an earlier version. */
  readonly factor: string | undefined;
}

/** Why a sign-in was not accepted; `one_factor`: without a second factor, `unnamed`: without the claim for the account. */
export type SignInRefusal = "one_factor" | "unnamed" | "cancelled" | "invalid";

export interface ProviderDeps {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret;
  /** Origin of the console. */
  readonly origin: string;
  /** Claim with the account name. */
  readonly accountClaim: string;
  readonly logger: Logger;
}

/** `acr` of a sign-in with a second factor that is not a recovery code. */
const acceptedAcr = ["mfa", "phr"] as const;
const timeoutSeconds = 10;

const maxAgeSeconds = (isProof: boolean): number => (isProof ? proofMs : sessionLifeMs) / 1000;

/** Who signed in, and when; the provider releases the account name at userinfo only. */
async function readSignIn(
  configuration: Configuration,
  tokens: Awaited<ReturnType<typeof authorizationCodeGrant>>,
  accountClaim: string,
): Promise<SignedIn | SignInRefusal> {
  const claims = tokens.claims();
  if (claims?.auth_time === undefined) return "invalid";
  if (!acceptedAcr.some((one) => one === claims.acr)) return "one_factor";
  const { [accountClaim]: account, second_factor: factor } = await fetchUserInfo(
    configuration,
    tokens.access_token,
    claims.sub,
  );
  if (typeof account !== "string" || account === "") return "unnamed";
  return { account, signedInMs: claims.auth_time * 1000, factor: typeof factor === "string" ? factor : undefined };
}

const unavailable = (cause: unknown): AppError =>
  new AppError("UPSTREAM_UNAVAILABLE", { detail: "the identity provider does not answer the console", cause });

/** An answer that was not meant for this sign-in, or that the library rejects; anything else is an outage. */
function refusalOf(error: unknown): SignInRefusal | undefined {
  if (error instanceof AuthorizationResponseError) return error.error === "access_denied" ? "cancelled" : "invalid";
  if (error instanceof ResponseBodyError) return error.status < 500 ? "invalid" : undefined;
  return error instanceof ClientError && error.code !== "OAUTH_TIMEOUT" ? "invalid" : undefined;
}

/** Discovers the provider when it is first needed; a failure is not kept. */
function createDiscovery({ issuer, clientId, clientSecret }: ProviderDeps): () => Promise<Configuration> {
  let known: Promise<Configuration> | undefined;
  return () => {
    known ??= discovery(new URL(issuer), clientId, undefined, ClientSecretBasic(clientSecret.reveal()), {
      timeout: timeoutSeconds,
      // The configuration permits http on loopback addresses only.
      execute: issuer.startsWith("http:") ? [allowInsecureRequests] : [],
    }).catch((cause: unknown) => {
      known = undefined;
      throw unavailable(cause);
    });
    return known;
  };
}

/** A relying party with PKCE, state and nonce; the ID token must state that a second factor was used. */
export function createProvider(deps: ProviderDeps) {
  const { origin, accountClaim, logger } = deps;
  const configuration = createDiscovery(deps);
  const redirectUri = `${origin}${pathTo("consoleCallback")}`;
  return {
    /** Begins a sign-in: the attempt to keep, and the address to go to. */
    begin: async (
      wish: Pick<SignInAttempt, "next" | "isProof" | "replaces" | "invitation">,
    ): Promise<{ readonly attempt: SignInAttempt; readonly url: string }> => {
      const attempt = { ...wish, state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
      const url = buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: "openid profile",
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: "S256",
        acr_values: acceptedAcr.join(" "),
        max_age: String(maxAgeSeconds(wish.isProof)),
        ...(wish.isProof && { prompt: "login" }),
      });
      return { attempt, url: url.href };
    },
    /** @param query of the request that the provider redirected here, with its question mark */
    complete: async (
      query: string,
      { state, nonce, verifier, isProof }: SignInAttempt,
    ): Promise<SignedIn | SignInRefusal> => {
      try {
        const known = await configuration();
        const tokens = await authorizationCodeGrant(known, new URL(`${redirectUri}${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          maxAge: maxAgeSeconds(isProof),
        });
        return await readSignIn(known, tokens, accountClaim);
      } catch (err) {
        const refusal = refusalOf(err);
        if (refusal === undefined) throw err instanceof AppError ? err : unavailable(err);
        logger.warn({ err, refusal }, "a sign-in to the console was rejected");
        return refusal;
      }
    },
  };
}
