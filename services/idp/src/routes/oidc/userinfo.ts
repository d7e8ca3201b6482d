import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/bridge.ts";
import { claimsOf } from "../../oidc/claims.ts";
import type { ClientPolicies } from "../../oidc/clients.ts";
import { isRecord, wordsOf } from "../../oidc/json.ts";
import type { ResolvedToken, ResolveToken } from "../../oidc/resolve-token.ts";
import { formOf } from "./form.ts";
import { noStore, tokenRefused } from "./json-reply.ts";

export interface UserinfoDeps {
  readonly bridge: Bridge;
  readonly resolve: ResolveToken;
  readonly policies: () => ClientPolicies;
  /** Claims of each scope. */
  readonly claimTable: () => Readonly<Record<string, null | readonly string[]>>;
  readonly issuer: string;
}

function askedFor({ payload }: ResolvedToken): readonly string[] {
  const { claims } = payload;
  const userinfo: unknown = isRecord(claims) ? claims["userinfo"] : undefined;
  return isRecord(userinfo) ? Object.keys(userinfo) : [];
}

/** Claims of the granted scopes, those that the request named, and the mailbox name where the token is a mail client's. */
function answer(token: ResolvedToken, deps: UserinfoDeps): Readonly<Record<string, unknown>> | undefined {
  const { account, payload, clientId } = token;
  if (account === undefined) return undefined;
  const scopes = wordsOf(payload.scope);
  const table = deps.claimTable();
  const names = new Set([...scopes.flatMap((scope) => table[scope] ?? []), ...askedFor(token)]);
  if (!scopes.includes("openid")) names.add("email");
  const mappings = deps.policies().get(clientId)?.config.id_token_claims.mappings ?? [];
  const known = Object.entries(claimsOf(account, mappings)).filter(([name]) => names.has(name));
  return { ...Object.fromEntries(known), sub: account.accountId };
}

/** `GET` and `POST /oidc/userinfo` (OpenID Connect Core §5.3); a proven key's token goes to the provider. */
export function userinfo(deps: UserinfoDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { authorization } = request.raw.headers;
    const form = formOf(request.body);
    if (authorization !== undefined && /^dpop /i.test(authorization)) {
      return deps.bridge.passAs(request, reply, { method: "GET", url: "/oidc/userinfo" });
    }
    const told = authorization === undefined ? form.get("access_token") : /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (told === undefined || told === null) return tokenRefused(reply, deps.issuer);
    const token = await deps.resolve(told);
    const claims = token === undefined || token.isBound ? undefined : answer(token, deps);
    return claims === undefined ? tokenRefused(reply, deps.issuer, "invalid_token") : noStore(reply).send(claims);
  };
}
