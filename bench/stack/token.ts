import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

export interface IssuedToken {
  readonly issuer: string;
  /** A JWK set with the public key. */
  readonly jwksFile: string;
  /** Good for the back channel, for an hour. */
  readonly token: string;
}

/** A token as the identity provider signs it for a machine: RS256, 2048 bits. */
export async function issueToken(folder: string): Promise<IssuedToken> {
  const issuer = "https://idp.example.test";
  const kid = "bench-key-1";
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const jwksFile = join(folder, "jwks.json");
  const jwk = { ...(await exportJWK(publicKey)), kid, use: "sig", alg: "RS256" };
  await writeFile(jwksFile, JSON.stringify({ keys: [jwk] }));
  const claims = { client_id: "bench", scope: "service:authenticate", token_type: "access_token" };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: "RS256", typ: "at+jwt", kid })
    .setIssuer(issuer)
    .setSubject("bench")
    .setAudience("service:backchannel")
    .setIssuedAt()
    .setExpirationTime("1h")
    .setJti("bench-token-1")
    .sign(privateKey);
  return { issuer, jwksFile, token };
}
