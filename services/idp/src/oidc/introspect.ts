import { normalisedProtocol, pathTo } from "@postern/shared/contracts";
import { type MailRegistrationConfig, mailScopes } from "@postern/shared/platform/config";
import type { FastifyReply, FastifyRequest } from "fastify";
import { emailOf, mappedClaims } from "./claims/claims.ts";
import type { ClientPolicy } from "./clients/clients.ts";
import type { OidcContext } from "./context.ts";
import { formOf } from "./http/form.ts";
import { noStore, repeatedToken, tokenIn } from "./http/replies.ts";
import { kindOfId } from "./registration/registration.ts";
import { wordsOf } from "./storage/models.ts";
import { boundCertificate, type ResolvedToken } from "./tokens/resolve-token.ts";

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

/** The tokens of a client that acts for itself belong to no domain. */
function isOfDomain({ account }: ResolvedToken, { limit }: ClientPolicy, { domains }: OidcContext): Promise<boolean> {
  return account === undefined ? Promise.resolve(true) : domains.isWithin(account.account, limit);
}

function maySee({ clientId, payload }: ResolvedToken, asking: ClientPolicy): boolean {
  if (clientId === asking.id || payload.aud === asking.id) return true;
  // Anyone can register such a client: its tokens are for a resource server only if the site says so.
  const { resource_server: asksForAll, registered_clients: alsoRegistered } = asking.config;
  return asksForAll && (alsoRegistered || kindOfId(clientId) !== "full");
}

function user({ account, clientId, payload }: ResolvedToken, { policies, reportUnreadable }: OidcContext) {
  if (account === undefined) return undefined;
  const claims = policies().get(clientId)?.claims;
  const email = emailOf(account, claims ?? { named: [], mappings: [] });
  const mappings = claims?.accessTokenMappings(wordsOf(payload.scope)) ?? [];
  const mapped = mappedClaims(account, mappings, { email }, reportUnreadable(clientId));
  return { ...mapped, username: account.account, ...(email !== undefined && { email }) };
}

/** Flat, as mail servers read it (behaviour reference §11.1), with only these members of the token. */
function answer(token: ResolvedToken, oidc: OidcContext): Readonly<Record<string, unknown>> {
  const { payload, clientId, account } = token;
  const thumbprint = boundCertificate(token);
  const { jkt } = payload;
  return {
    active: true,
    iss: oidc.issuer,
    sub: account?.accountId ?? clientId,
    aud: payload.aud ?? clientId,
    client_id: clientId,
    ...user(token, oidc),
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
export function postIntrospect(oidc: OidcContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request.body);
    const known = await oidc.authenticate(request, form, pathTo("introspect"));
    if (known.outcome === "refused") return oidc.refuse(request, reply, known);
    const asking = known.policy;
    const value = tokenIn(form);
    if (value === undefined) return repeatedToken(reply);
    const token = await oidc.resolve(value);
    const { mail_registration: mail } = oidc.schedule.settings.oidc;
    const isSeen =
      token !== undefined &&
      maySee(token, asking) &&
      serves(token, asking, mail) &&
      (await isOfDomain(token, asking, oidc));
    if (isSeen) await oidc.registered.load(token.clientId);
    const seen = isSeen ? answer(token, oidc) : { active: false };
    return noStore(reply).send(seen);
  };
}
