import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AuthenticateClient, basicCredentials } from "../../oidc/clients/client-auth.ts";
import type { ClientPolicy } from "../../oidc/clients/clients.ts";
import type { Bridge } from "../../oidc/provider/bridge.ts";
import type { Generation } from "../../oidc/provider/generation.ts";
import { wordsOf } from "../../oidc/storage/json.ts";
import type { OidcStore } from "../../oidc/storage/store.ts";
import type { RefuseClient } from "./json-reply.ts";

export interface TokenRouteDeps {
  readonly bridge: Bridge;
  readonly current: () => Generation;
  readonly authenticate: AuthenticateClient;
  readonly refuse: RefuseClient;
  readonly store: Pick<OidcStore, "find">;
  readonly digestOf: (id: string) => string;
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

/** The same secret in header and form is not a second method, if the site allows it (webmail sends both on refresh). */
function dropRepeatedSecret(form: URLSearchParams, header: string | undefined, { current }: TokenRouteDeps): void {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic === undefined || form.get("grant_type") !== "refresh_token") return;
  const [id, secret] = basic;
  const isAllowed = current().policies.get(id)?.config.allow_refresh_token_combined_client_auth === true;
  if (isAllowed && form.get("client_secret") === secret && (form.get("client_id") ?? id) === id) {
    form.delete("client_secret");
  }
}

/** A pushed request names its client in the form even if the header does (RFC 9126 §2.1). */
function nameClient(form: URLSearchParams, header: string | undefined): void {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic !== undefined && !form.has("client_id")) form.set("client_id", basic[0]);
}

/** The provider refuses requests with several methods. */
function hasOnlyAssertion(form: URLSearchParams, header: string | undefined): boolean {
  return form.getAll("client_assertion").length === 1 && header === undefined && !form.has("client_secret");
}

/** Replaces a valid assertion by the client's inner secret. */
function showInnerSecret(form: URLSearchParams, policy: ClientPolicy | undefined): void {
  form.delete("client_assertion");
  form.delete("client_assertion_type");
  if (policy?.innerSecret === undefined) return;
  form.set("client_id", policy.id);
  form.set("client_secret", policy.innerSecret);
}

export async function passForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { form, url, deps }: { readonly form: URLSearchParams; readonly url: string; readonly deps: TokenRouteDeps },
): Promise<FastifyReply> {
  const { authorization } = request.raw.headers;
  if (url === pathTo("pushAuthorization")) nameClient(form, authorization);
  dropRepeatedSecret(form, authorization, deps);
  await narrowScope(form, deps);
  if (hasOnlyAssertion(form, authorization)) {
    const known = await deps.authenticate({ authorization, form, path: url });
    if (known.outcome === "refused") return deps.refuse(request, reply, known);
    // No await from here on: the secret must be that of the provider that receives the request.
    showInnerSecret(form, deps.current().policies.get(known.policy.id));
  }
  const headers = { authorization: basicHeader(authorization) };
  return deps.bridge.passAs(request, reply, { method: "POST", url, body: form.toString(), headers });
}
