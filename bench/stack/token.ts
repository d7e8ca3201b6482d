import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export interface IssuedTokens {
  readonly issuer: string;
  /** A JWK set with the public key. */
  readonly jwksFile: string;
  /** Valid for the back channel, for one hour. */
  readonly token: string;
  /** Values of `Authorization`, one per line, each with a different such token. */
  readonly authorizationsFile: string;
}

/** More than the requests in the shortest `revocation_ttl`, so that nothing is cached when a token is sent again. */
const manyTokens = 1500;

/** Tokens as the identity provider signs them for a machine: RS256, 2048 bits. */
export async function issueTokens(folder: string): Promise<IssuedTokens> {
  const issuer = "https://idp.example.test";
  const kid = "bench-key-1";
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwksFile = join(folder, "jwks.json");
  const authorizationsFile = join(folder, "authorizations");
  const jwk = { ...(await exportJWK(publicKey)), kid, use: "sig", alg: "RS256" };
  await writeFile(jwksFile, JSON.stringify({ keys: [jwk] }));
  const claims = { client_id: "bench", scope: "service:authenticate", token_type: "access_token" };
  const issue = (serial: number): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid })
      .setIssuer(issuer)
      .setSubject("bench")
      .setAudience("service:backchannel")
      .setIssuedAt()
      .setExpirationTime("1h")
      .setJti(`bench-token-${serial}`)
      .sign(privateKey);
  const tokens = await Promise.all(Array.from({ length: manyTokens }, (_, index) => issue(index + 1)));
  await writeFile(authorizationsFile, tokens.map((token) => `Bearer ${token}\n`).join(""));
  return { issuer, jwksFile, token: await issue(0), authorizationsFile };
}
