import { pathTo } from "@postern/shared/contracts";
import { readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AuthenticateClient, basicCredentials, type ClientOutcome, claimedId } from "../clients/client-auth.ts";
import type { ClientPolicy } from "../clients/clients.ts";
import { formOf, queryOf, withoutEmpty } from "../http/form.ts";
import { answerAnyOrigin, oauthError, type RefuseClient } from "../http/replies.ts";
import type { Bridge } from "../provider/bridge.ts";
import type { Generation } from "../provider/generation.ts";
import { acceptMailResources } from "../registration/mail-resource.ts";
import type { RegisteredClients } from "../registration/registered-clients.ts";
import { requestObjectHeader } from "../request-objects/hand-over.ts";
import type { RequestObjects } from "../request-objects/unpack-request.ts";
import { mailResources } from "../settings/mail-resources.ts";
import { wordsOf } from "../storage/json.ts";
import type { OidcStore } from "../storage/store.ts";
import { isExcludedProof } from "../tokens/dpop.ts";

export interface TokenRouteDeps {
  readonly bridge: Bridge;
  readonly current: () => Generation;
  readonly authenticate: AuthenticateClient;
  readonly refuse: RefuseClient;
  readonly store: Pick<OidcStore, "find">;
  readonly digestOf: (id: string) => string;
  readonly requestObjects: RequestObjects;
  readonly registered: Pick<RegisteredClients, "load">;
}

/** A Basic header as the provider requires it: form-encoded, even if the client implements only RFC 7617. */
function basicHeader(header: string | undefined): string | undefined {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic === undefined) return header;
  const text = basic.map((part) => encodeURIComponent(part)).join(":");
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** A refresh may request only scopes of its token: groupware sends its whole list every time. */
async function narrowScope(form: URLSearchParams, { store, digestOf }: TokenRouteDeps): Promise<void> {
  const [token, scope] = [form.get("refresh_token"), form.get("scope")];
  if (form.get("grant_type") !== "refresh_token" || token === null || scope === null) return;
  const payload = await store.find({ model: "RefreshToken", digest: digestOf(token) });
  if (payload === undefined) return;
  const granted = wordsOf(payload.scope);
  const kept = wordsOf(scope).filter((word) => granted.includes(word));
  if (kept.length > 0) form.set("scope", kept.join(" "));
  else form.delete("scope");
}

/** A secret that stands in header and form is not a second method, if the site allows it (webmail sends both on refresh). */
function dropRepeatedSecret(form: URLSearchParams, header: string | undefined, { current }: TokenRouteDeps): void {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic === undefined || form.get("grant_type") !== "refresh_token") return;
  const [id, secret] = basic;
  const isAllowed = current().policies.get(id)?.config.allow_refresh_token_combined_client_auth === true;
  if (isAllowed && form.get("client_secret") === secret && (form.get("client_id") ?? id) === id) {
    form.delete("client_secret");
  }
}

/** A pushed request contains `client_id` in the form, even if the header has it (RFC 9126 §2.1). */
function nameClient(form: URLSearchParams, header: string | undefined): void {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic !== undefined && !form.has("client_id")) form.set("client_id", basic[0]);
}

/** The provider refuses requests with several methods. */
function hasOnlyAssertion(form: URLSearchParams, header: string | undefined): boolean {
  return form.getAll("client_assertion").length === 1 && header === undefined && !form.has("client_secret");
}

/** Any other credentials of such a client go to the provider, which refuses them. */
function showsCertificate(form: URLSearchParams, header: string | undefined, { current }: TokenRouteDeps): boolean {
  const policy = current().policies.get(form.get("client_id") ?? "");
  const others = ["client_secret", "client_assertion"].some((name) => form.has(name));
  return policy?.usesCertificate === true && header === undefined && !others;
}

/** Replaces a valid assertion or certificate by the client's inner secret. */
function showInnerSecret(form: URLSearchParams, policy: ClientPolicy | undefined): void {
  form.delete("client_assertion");
  form.delete("client_assertion_type");
  if (policy?.innerSecret === undefined) return;
  form.set("client_id", policy.id);
  form.set("client_secret", policy.innerSecret);
}

interface ReadyForm {
  readonly form: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
}

/** A pushed request in the form of a request object is replaced by its parameters (RFC 9126 §3). */
async function unpackPushed({ form, url, deps }: PassedForm, clientId: string | undefined): Promise<ReadyForm> {
  if (url !== pathTo("pushAuthorization") || !form.has("request")) return { form, headers: {} };
  const { params, state } = await deps.requestObjects.unpack(form, clientId ?? form.get("client_id") ?? "");
  return { form: params, headers: { [requestObjectHeader]: state } };
}

interface PassedForm {
  readonly form: URLSearchParams;
  readonly url: string;
  readonly deps: TokenRouteDeps;
}

function refusedClient(
  request: FastifyRequest,
  reply: FastifyReply,
  known: ClientOutcome,
  { refuse }: Pick<TokenRouteDeps, "refuse">,
): FastifyReply | undefined {
  if (known.outcome === "refused") return refuse(request, reply, known);
  if (!isExcludedProof(request.raw.headers["dpop"], known.policy.config)) return undefined;
  return oauthError(reply, 400, "invalid_dpop_proof", "the algorithm of the DPoP proof is not allowed for the client");
}

async function passForm(request: FastifyRequest, reply: FastifyReply, passed: PassedForm): Promise<FastifyReply> {
  const { form, url, deps } = passed;
  // For refusals of our own; the provider writes its own headers.
  answerAnyOrigin(request, reply);
  const { authorization } = request.raw.headers;
  if (url === pathTo("pushAuthorization")) nameClient(form, authorization);
  await deps.registered.load(claimedId(authorization, form));
  dropRepeatedSecret(form, authorization, deps);
  acceptMailResources(form, mailResources(deps.current().settings));
  await narrowScope(form, deps);
  const certificate = request.caller?.certificate;
  const known =
    hasOnlyAssertion(form, authorization) || showsCertificate(form, authorization, deps)
      ? await deps.authenticate({ authorization, form, path: url, certificate })
      : undefined;
  const refused = known === undefined ? undefined : refusedClient(request, reply, known, deps);
  if (refused !== undefined || known?.outcome === "refused") return refused ?? reply;
  const ready = await unpackPushed(passed, known?.policy.id);
  // No await from here on: the secret must be that of the provider that receives the request.
  if (known !== undefined) showInnerSecret(ready.form, deps.current().policies.get(known.policy.id));
  const headers = { authorization: basicHeader(authorization), ...ready.headers };
  return deps.bridge.passAs(request, reply, { method: "POST", url, body: ready.form.toString(), headers });
}

/**
 * The forms that the protocol core answers: `POST /oidc/token` (RFC 6749 §3.2), a pushed authorization request (RFC 9126 §2), and a
 * device's request for its codes (RFC 8628 §3.1). `oidc/provider/answers.ts` adapts its responses.
 */
export function postForm(id: "token" | "pushAuthorization" | "deviceAuthorization", deps: TokenRouteDeps) {
  const url = pathTo(id);
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    passForm(request, reply, { form: formOf(request.body), url, deps });
}

/** `GET /oidc/token` (ADR 0005): its query is the form, which is never logged. */
export function getToken(deps: TokenRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!deps.current().settings.oidc.tokens.token_endpoint_allow_get)
      return reply.code(404).send({ error: "not found" });
    const form = withoutEmpty(readUtf8Form(queryOf(request.raw.url)));
    return passForm(request, reply, { form, url: pathTo("token"), deps });
  };
}
