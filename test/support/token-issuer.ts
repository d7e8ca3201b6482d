import { randomUUID } from "node:crypto";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

/** Replaces the identity provider: has a key pair and signs tokens with it. */
export interface TokenIssuer {
  readonly jwks: { readonly keys: readonly JWK[] };
  readonly issuer: string;
  /** A valid token for the back channel with the test's changes. A claim that is undefined is left out. */
  token(claims?: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, string>>): Promise<string>;
}

export async function createTokenIssuer(issuer: string): Promise<TokenIssuer> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const kid = "test-key-1";
  const jwk = await exportJWK(publicKey);
  return {
    issuer,
    jwks: { keys: [{ ...jwk, kid, use: "sig", alg: "RS256" }] },
    token: (claims = {}, header = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const good = {
        iss: issuer,
        sub: "test-m2m",
        aud: "service:backchannel",
        iat: now,
        exp: now + 300,
        jti: randomUUID(),
        scope: "service:authenticate",
        client_id: "test-m2m",
        token_type: "access_token",
      };
      return new SignJWT({ ...good, ...claims })
        .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid, ...header })
        .sign(privateKey);
    },
  };
}
