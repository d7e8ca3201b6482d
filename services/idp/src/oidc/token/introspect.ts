import { normalisedProtocol, pathTo } from "@postern/shared/contracts";
import { type MailRegistrationConfig, mailScopes } from "@postern/shared/platform/config";
import type { FastifyReply, FastifyRequest } from "fastify";
import { emailOf, mappedClaims } from "../claims/claims.ts";
import type { AuthenticateClient } from "../clients/client-auth.ts";
import type { ClientPolicies, ClientPolicy } from "../clients/clients.ts";
import { formOf } from "../http/form.ts";
import { noStore, oauthError, type RefuseClient } from "../http/replies.ts";
import type { RegisteredClients } from "../registration/registered-clients.ts";
import { kindOfId } from "../registration/registration.ts";
import { wordsOf } from "../storage/json.ts";
import { boundCertificate, type ResolvedToken, type ResolveToken } from "../tokens/resolve-token.ts";
import type { ReportUnreadable } from "../tokens/unreadable-claims.ts";

export interface IntrospectDeps {
  readonly authenticate: AuthenticateClient;
  readonly refuse: RefuseClient;
  readonly resolve: ResolveToken;
  readonly registered: Pick<RegisteredClients, "load">;
  readonly policies: () => ClientPolicies;
  readonly issuer: string;
  readonly reportUnreadable: ReportUnreadable;
  readonly mailRegistration: () => MailRegistrationConfig;
}

/** Protocols with HTTP requests, which carry proofs of possession (RFC 9449). The others know bearer tokens only (RFC 7628). */
const provenProtocols = new Set(["jmap", "caldav", "carddav"]);

/** Tokens with a scope of mail clients are only for the protocols of their scopes, and for those that can use them. */
function serves({ payload }: ResolvedToken, { config }: ClientPolicy, mail: MailRegistrationConfig): boolean {
  if (!mail.enabled || config.protocols.length === 0) return true;
  const isProvable = config.protocols.some((name) => provenProtocols.has(normalisedProtocol(name)));
  if (payload.jkt !== undefined && !isProvable) return false;
  const scopes = wordsOf(payload.scope);
  const limits = mailScopes(mail).filter(({ name }) => scopes.includes(name));
  const wanted = config.protocols.map(normalisedProtocol);
  const permitted = new Set(limits.flatMap(({ protocols }) => protocols.map(normalisedProtocol)));
  return (limits.length === 0 && payload.aud !== mail.audience) || wanted.some((name) => permitted.has(name));
}

function maySee({ clientId, payload }: ResolvedToken, asking: ClientPolicy): boolean {
  if (clientId === asking.id || payload.aud === asking.id) return true;
  // Anyone can register such a client: its tokens are for a resource server only if the site says so.
  const { resource_server: asksForAll, registered_clients: alsoRegistered } = asking.config;
  return asksForAll && (alsoRegistered || kindOfId(clientId) !== "full");
}

function user({ account, clientId, payload }: ResolvedToken, { policies, reportUnreadable }: IntrospectDeps) {
  if (account === undefined) return undefined;
  const claims = policies().get(clientId)?.claims;
  const email = emailOf(account, claims ?? { named: [], mappings: [] });
  const mappings = claims?.accessTokenMappings(wordsOf(payload.scope)) ?? [];
  const mapped = mappedClaims(account, mappings, { email }, reportUnreadable(clientId));
  return { ...mapped, username: account.account, ...(email !== undefined && { email }) };
}

/** Flat, as mail servers read it (behaviour reference §11.1), with only these members of the token. */
function answer(token: ResolvedToken, deps: IntrospectDeps): Readonly<Record<string, unknown>> {
  const { payload, clientId, account } = token;
  const thumbprint = boundCertificate(token);
  const { jkt } = payload;
  const { issuer } = deps;
  return {
    active: true,
    iss: issuer,
    sub: account?.accountId ?? clientId,
    aud: payload.aud ?? clientId,
    client_id: clientId,
    ...user(token, deps),
    scope: payload.scope ?? "",
    exp: payload.exp,
    iat: payload.iat,
    token_type: jkt === undefined ? "Bearer" : "DPoP",
    ...(jkt !== undefined && { cnf: { jkt } }),
    // RFC 8705 §3.2.
    ...(thumbprint !== undefined && { cnf: { "x5t#S256": thumbprint } }),
  };
}

/** `POST /oidc/introspect` (RFC 7662). */
export function postIntrospect(deps: IntrospectDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request.body);
    const { authorization } = request.raw.headers;
    const known = await deps.authenticate({
      authorization,
      form,
      path: pathTo("introspect"),
      certificate: request.caller?.certificate,
    });
    if (known.outcome === "refused") return deps.refuse(request, reply, known);
    const asking = known.policy;
    const [value, ...more] = form.getAll("token");
    if (value === undefined || more.length > 0)
      return oauthError(reply, 400, "invalid_request", "token must be given exactly once");
    const token = await deps.resolve(value);
    const isSeen = token !== undefined && maySee(token, asking) && serves(token, asking, deps.mailRegistration());
    if (isSeen) await deps.registered.load(token.clientId);
    const seen = isSeen ? answer(token, deps) : { active: false };
    return noStore(reply).send(seen);
  };
}
