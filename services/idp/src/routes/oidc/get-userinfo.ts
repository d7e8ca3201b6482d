import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ClientPolicies } from "../../oidc/clients/clients.ts";
import type { Bridge } from "../../oidc/provider/bridge.ts";
import { isRecord, wordsOf } from "../../oidc/storage/json.ts";
import { claimsOf, grantedMappings } from "../../oidc/tokens/claims.ts";
import type { ResolvedToken, ResolveToken } from "../../oidc/tokens/resolve-token.ts";
import type { ReportUnreadable } from "../../oidc/tokens/unreadable-claims.ts";
import { formOf } from "./form.ts";
import { noStore, tokenRefused } from "./json-reply.ts";

export interface UserinfoDeps {
  readonly bridge: Bridge;
  readonly resolve: ResolveToken;
  readonly policies: () => ClientPolicies;
  /** Claims of each scope. */
  readonly claimTable: () => Readonly<Record<string, null | readonly string[]>>;
  readonly issuer: string;
  readonly reportUnreadable: ReportUnreadable;
}

function requestedClaims({ payload }: ResolvedToken): readonly string[] {
  const { claims } = payload;
  const userinfo: unknown = isRecord(claims) ? claims["userinfo"] : undefined;
  return isRecord(userinfo) ? Object.keys(userinfo) : [];
}

/** Claims of the granted scopes and those the request named; for a mail client's token also the mailbox name. */
function answer(token: ResolvedToken, deps: UserinfoDeps): Readonly<Record<string, unknown>> | undefined {
  const { account, payload, clientId } = token;
  if (account === undefined) return undefined;
  const scopes = wordsOf(payload.scope);
  const table = deps.claimTable();
  const names = new Set([...scopes.flatMap((scope) => table[scope] ?? []), ...requestedClaims(token)]);
  if (!scopes.includes("openid")) names.add("email");
  const mappings = deps.policies().get(clientId)?.config.id_token_claims.mappings ?? [];
  const granted = grantedMappings(mappings, table, scopes);
  const known = Object.entries(claimsOf(account, granted, deps.reportUnreadable(clientId))).filter(([name]) =>
    names.has(name),
  );
  return { ...Object.fromEntries(known), sub: account.accountId };
}

/** `GET` and `POST /oidc/userinfo` (OpenID Connect Core §5.3); a proven key's token is passed to the provider. */
export function getUserinfo(deps: UserinfoDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { authorization } = request.raw.headers;
    const form = formOf(request.body);
    if (authorization !== undefined && /^dpop /i.test(authorization)) {
      // The proof contains the method of this request (RFC 9449 §4.3).
      const own =
        request.method === "POST" ? ({ method: "POST", body: form.toString() } as const) : ({ method: "GET" } as const);
      return deps.bridge.passAs(request, reply, { ...own, url: pathTo("userinfo") });
    }
    const accessToken =
      authorization === undefined ? form.get("access_token") : /^bearer +(\S+)$/i.exec(authorization)?.[1];
    if (accessToken === undefined || accessToken === null) return tokenRefused(reply, deps.issuer);
    const token = await deps.resolve(accessToken);
    const claims = token === undefined || token.isBound ? undefined : answer(token, deps);
    return claims === undefined ? tokenRefused(reply, deps.issuer, "invalid_token") : noStore(reply).send(claims);
  };
}
