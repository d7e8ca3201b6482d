import { pathTo } from "@postern/shared/contracts";
import { readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { basicCredentials, type ClientOutcome, claimedId } from "./clients/client-auth.ts";
import type { ClientPolicy } from "./clients/clients.ts";
import type { OidcContext } from "./context.ts";
import { formOf, queryOf, withoutEmpty } from "./http/form.ts";
import { answerAnyOrigin, oauthError } from "./http/replies.ts";
import { acceptMailResources } from "./registration/mail-profile.ts";
import { requestObjectHeader } from "./request-objects/hand-over.ts";
import { mailResources } from "./settings/mail-resources.ts";
import { digestOfId, wordsOf } from "./storage/models.ts";
import { isExcludedProof } from "./tokens/dpop.ts";

/** A Basic header as the provider requires it: form-encoded, even if the client implements only RFC 7617. */
function basicHeader(header: string | undefined): string | undefined {
  const basic = basicCredentials(header);
  if (basic === undefined) return header;
  const text = basic.map((part) => encodeURIComponent(part)).join(":");
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** A refresh may request only scopes of its token: groupware sends its whole list every time. */
async function narrowScope(form: URLSearchParams, { store }: OidcContext): Promise<void> {
  const [token, scope] = [form.get("refresh_token"), form.get("scope")];
  if (form.get("grant_type") !== "refresh_token" || token === null || scope === null) return;
  const payload = await store.find({ model: "RefreshToken", digest: digestOfId(token) });
  if (payload === undefined) return;
  const granted = wordsOf(payload.scope);
  const kept = wordsOf(scope).filter((word) => granted.includes(word));
  if (kept.length > 0) form.set("scope", kept.join(" "));
  else form.delete("scope");
}

/** A secret that stands in header and form is not a second method, if the site allows it (webmail sends both on refresh). */
function dropRepeatedSecret(form: URLSearchParams, header: string | undefined, { policies }: OidcContext): void {
  const basic = basicCredentials(header);
  if (basic === undefined || form.get("grant_type") !== "refresh_token") return;
  const [id, secret] = basic;
  const isAllowed = policies().get(id)?.config.allow_refresh_token_combined_client_auth === true;
  if (isAllowed && form.get("client_secret") === secret && (form.get("client_id") ?? id) === id) {
    form.delete("client_secret");
  }
}

/** A pushed request contains `client_id` in the form, even if the header has it (RFC 9126 §2.1). */
function nameClient(form: URLSearchParams, header: string | undefined): void {
  const basic = basicCredentials(header);
  if (basic !== undefined && !form.has("client_id")) form.set("client_id", basic[0]);
}

/** The provider refuses requests with several methods. */
function hasOnlyAssertion(form: URLSearchParams, header: string | undefined): boolean {
  return form.getAll("client_assertion").length === 1 && header === undefined && !form.has("client_secret");
}

/** Any other credentials of such a client go to the provider, which refuses them. */
function showsCertificate(form: URLSearchParams, header: string | undefined, { policies }: OidcContext): boolean {
  const policy = policies().get(form.get("client_id") ?? "");
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

/** A pushed request in the form of a request object is replaced by its parameters (RFC 9126 §3). */
async function unpackPushed({ form, url, oidc }: PassedForm, clientId: string | undefined) {
  if (url !== pathTo("pushAuthorization") || !form.has("request")) return { form, headers: {} };
  const { params, state } = await oidc.requestObjects.unpack(form, clientId ?? form.get("client_id") ?? "");
  return { form: params, headers: { [requestObjectHeader]: state } };
}

interface PassedForm {
  readonly form: URLSearchParams;
  readonly url: string;
  readonly oidc: OidcContext;
}

function refusedClient(
  request: FastifyRequest,
  reply: FastifyReply,
  known: ClientOutcome,
  { refuse }: OidcContext,
): FastifyReply | undefined {
  if (known.outcome === "refused") return refuse(request, reply, known);
  if (!isExcludedProof(request.raw.headers["dpop"], known.policy.config)) return undefined;
  return oauthError(reply, 400, "invalid_dpop_proof", "the algorithm of the DPoP proof is not allowed for the client");
}

async function passForm(request: FastifyRequest, reply: FastifyReply, passed: PassedForm): Promise<FastifyReply> {
  const { form, url, oidc } = passed;
  // For refusals of our own; the provider writes its own headers.
  answerAnyOrigin(request, reply);
  const { authorization } = request.raw.headers;
  if (url === pathTo("pushAuthorization")) nameClient(form, authorization);
  await oidc.registered.load(claimedId(authorization, form));
  dropRepeatedSecret(form, authorization, oidc);
  acceptMailResources(form, mailResources(oidc.current().settings));
  await narrowScope(form, oidc);
  const known =
    hasOnlyAssertion(form, authorization) || showsCertificate(form, authorization, oidc)
      ? await oidc.authenticate(request, form, url)
      : undefined;
  const refused = known === undefined ? undefined : refusedClient(request, reply, known, oidc);
  if (refused !== undefined || known?.outcome === "refused") return refused ?? reply;
  const ready = await unpackPushed(passed, known?.policy.id);
  // No await from here on: the secret must be that of the provider that receives the request.
  if (known !== undefined) showInnerSecret(ready.form, oidc.policies().get(known.policy.id));
  const headers = { authorization: basicHeader(authorization), ...ready.headers };
  return oidc.bridge.passAs(request, reply, { method: "POST", url, body: ready.form.toString(), headers });
}

/**
 * The forms that the protocol core answers: `POST /oidc/token` (RFC 6749 §3.2), a pushed authorization request (RFC 9126 §2), and a
 * device's request for its codes (RFC 8628 §3.1). `oidc/provider/answers.ts` adapts its responses.
 */
export function postForm(id: "token" | "pushAuthorization" | "deviceAuthorization", oidc: OidcContext) {
  const url = pathTo(id);
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    passForm(request, reply, { form: formOf(request.body), url, oidc });
}

/** `GET /oidc/token` (ADR 0005): its query is the form, which is never logged. */
export function getToken(oidc: OidcContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!oidc.current().settings.oidc.tokens.token_endpoint_allow_get)
      return reply.code(404).send({ error: "not found" });
    const form = withoutEmpty(readUtf8Form(queryOf(request.raw.url)));
    return passForm(request, reply, { form, url: pathTo("token"), oidc });
  };
}
