import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { claimsOf } from "./claims/claims.ts";
import type { OidcContext } from "./context.ts";
import { formOf } from "./http/form.ts";
import {
  answerAnyOrigin,
  isForeignOrigin,
  noStore,
  oauthError,
  proofRefused,
  tokenRefused,
  withoutOrigin,
} from "./http/replies.ts";
import { isRecord, wordsOf } from "./storage/models.ts";
import { isExcludedProof } from "./tokens/dpop.ts";
import { mayBear, type ResolvedToken } from "./tokens/resolve-token.ts";

/** The claims as a JWT, for a client that is registered for signed responses (OpenID Connect Core §5.3.2). */
async function signed({ current }: OidcContext, clientId: string, claims: Readonly<Record<string, unknown>>) {
  const { provider } = current();
  const client = await provider.Client.find(clientId);
  if (client === undefined || typeof client["userinfoSignedResponseAlg"] !== "string") return undefined;
  const token = new provider.IdToken({}, { client });
  for (const [name, value] of Object.entries(claims)) token.set(name, value);
  return token.issue({ use: "userinfo" });
}

/** The claims that the request named and that the user's grant contains. */
function requestedClaims({ payload, grantedClaims }: ResolvedToken): readonly string[] {
  const { claims } = payload;
  const userinfo: unknown = isRecord(claims) ? claims["userinfo"] : undefined;
  return isRecord(userinfo) ? Object.keys(userinfo).filter((claim) => grantedClaims.has(claim)) : [];
}

/** Reads the client if it registered itself, so that its policy is known. */
async function withClient(token: ResolvedToken | undefined, { registered }: OidcContext) {
  if (token !== undefined) await registered.load(token.clientId);
  return token;
}

/** Claims of the granted scopes and those the request named; for a mail client's token also the mailbox name. */
function answer(token: ResolvedToken, oidc: OidcContext): Readonly<Record<string, unknown>> | undefined {
  const { account, payload, clientId } = token;
  const claims = oidc.policies().get(clientId)?.claims;
  if (account === undefined || claims === undefined) return undefined;
  const scopes = wordsOf(payload.scope);
  const requested = requestedClaims(token).filter((claim) => claims.mayRequest(claim));
  const names = new Set([...claims.ofScopes(scopes), ...requested]);
  if (!scopes.includes("openid")) names.add("email");
  const known = Object.entries(claimsOf(account, claims, oidc.reportUnreadable(clientId)));
  return { ...Object.fromEntries(known.filter(([name]) => names.has(name))), sub: account.accountId };
}

async function sendClaims(
  request: FastifyRequest,
  reply: FastifyReply,
  answered: ResolvedToken & { readonly claims: Readonly<Record<string, unknown>> },
  oidc: OidcContext,
): Promise<FastifyReply> {
  const { clientId, claims, payload } = answered;
  const config = oidc.policies().get(clientId)?.config;
  if (config === undefined || isForeignOrigin(request, config))
    return oauthError(withoutOrigin(reply), 400, "invalid_request", "the origin is not one of the client");
  const all = { ...claims, ...(await oidc.consoleClaims(clientId, payload.sessionUid)) };
  const jwt = config.userinfo_signed_response_alg === "" ? undefined : await signed(oidc, clientId, all);
  return jwt === undefined ? noStore(reply).send(all) : noStore(reply).type("application/jwt").send(jwt);
}

const needsProof = "the access token is bound to a key: send it with the scheme DPoP and a DPoP proof";
const excluded = {
  error: "invalid_dpop_proof",
  description: "the algorithm of the DPoP proof is not allowed for the client",
};
const notBound = { error: "invalid_token", description: "the access token is unknown or not bound to a key" };

/** A token that is bound to a key, with a proof of its possession (RFC 9449 §7.1). */
async function withProof(
  request: FastifyRequest,
  reply: FastifyReply,
  accessToken: string,
  oidc: OidcContext,
): Promise<FastifyReply> {
  const { issuer } = oidc;
  const token = await withClient(await oidc.resolve(accessToken), oidc);
  const thumbprint = token?.payload.jkt;
  if (token === undefined || thumbprint === undefined) return proofRefused(reply, issuer, notBound);
  const { dpop } = request.raw.headers;
  const proven = { method: request.method, url: `${issuer}${pathTo("userinfo")}`, accessToken, thumbprint };
  const config = oidc.policies().get(token.clientId)?.config;
  if (config !== undefined && isExcludedProof(dpop, config)) return proofRefused(reply, issuer, excluded);
  const refusal = await oidc.checkProof(typeof dpop === "string" ? dpop : undefined, proven);
  if (refusal !== undefined) return proofRefused(reply, issuer, refusal);
  const claims = answer(token, oidc);
  if (claims === undefined) return proofRefused(reply, issuer, notBound);
  return sendClaims(request, reply, { ...token, claims }, oidc);
}

function tokenOf(scheme: "dpop" | "bearer", authorization = ""): string | undefined {
  const [, named, token] = /^(\S+) +(\S+)$/.exec(authorization) ?? [];
  return named?.toLowerCase() === scheme ? token : undefined;
}

/** RFC 6750 §3.1: the token is sent once, by one method. */
function repeatedToken(reply: FastifyReply, issuer: string): FastifyReply {
  reply.header("www-authenticate", `Bearer realm="${issuer}", error="invalid_request"`);
  return oauthError(reply, 400, "invalid_request", "the access token must be sent once, by one method");
}

/** `GET` and `POST /oidc/userinfo` (OpenID Connect Core §5.3). */
export function getUserinfo(oidc: OidcContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    answerAnyOrigin(request, reply);
    const { authorization } = request.raw.headers;
    const sent = formOf(request.body).getAll("access_token");
    if (sent.length + (authorization === undefined ? 0 : 1) > 1) return repeatedToken(reply, oidc.issuer);
    const bound = tokenOf("dpop", authorization);
    if (bound !== undefined) return withProof(request, reply, bound, oidc);
    const accessToken = authorization === undefined ? sent[0] : tokenOf("bearer", authorization);
    if (accessToken === undefined) return tokenRefused(reply, oidc.issuer);
    const token = await withClient(await oidc.resolve(accessToken), oidc);
    if (token?.payload.jkt !== undefined)
      return proofRefused(reply, oidc.issuer, { error: "invalid_token", description: needsProof });
    if (token === undefined || !mayBear(token, request.caller?.certificate))
      return tokenRefused(reply, oidc.issuer, "invalid_token");
    const claims = answer(token, oidc);
    if (claims === undefined) return tokenRefused(reply, oidc.issuer, "invalid_token");
    return sendClaims(request, reply, { ...token, claims }, oidc);
  };
}
