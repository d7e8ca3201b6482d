import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/bridge.ts";
import { basicCredentials } from "../../oidc/client-auth.ts";
import type { Generation } from "../../oidc/generation.ts";
import { wordsOf } from "../../oidc/json.ts";
import type { OidcStore } from "../../oidc/store.ts";
import { formOf, queryOf, withoutEmpty } from "./form.ts";

export interface TokenRouteDeps {
  readonly bridge: Bridge;
  readonly current: () => Generation;
  readonly store: Pick<OidcStore, "find">;
  readonly digestOf: (id: string) => string;
}

/** A Basic header as the provider wants it: form-encoded, also where the client knew RFC 7617 only. */
function basicHeader(header: string | undefined): string | undefined {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic === undefined) return header;
  const text = basic.map((part) => encodeURIComponent(part)).join(":");
  return `Basic ${Buffer.from(text).toString("base64")}`;
}

/** What a refresh may ask for is what the token has: groupware sends its whole list each time. */
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

/** One secret told twice is no second method, where the site says so (webmail does that on refresh). */
function dropDoubledSecret(form: URLSearchParams, header: string | undefined, { current }: TokenRouteDeps): void {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic === undefined || form.get("grant_type") !== "refresh_token") return;
  const [id, secret] = basic;
  const isAllowed = current().policies.get(id)?.config.allow_refresh_token_combined_client_auth === true;
  if (isAllowed && form.get("client_secret") === secret && (form.get("client_id") ?? id) === id) {
    form.delete("client_secret");
  }
}

/** An authorization request names its client in the form, also where the header does (RFC 9126 §2.1). */
function nameClient(form: URLSearchParams, header: string | undefined): void {
  const basic = header === undefined ? undefined : basicCredentials(header);
  if (basic !== undefined && !form.has("client_id")) form.set("client_id", basic[0]);
}

async function passForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { form, url, deps }: { readonly form: URLSearchParams; readonly url: string; readonly deps: TokenRouteDeps },
): Promise<FastifyReply> {
  const { authorization } = request.raw.headers;
  if (url === "/oidc/par") nameClient(form, authorization);
  dropDoubledSecret(form, authorization, deps);
  await narrowScope(form, deps);
  const headers = { authorization: basicHeader(authorization) };
  return deps.bridge.passAs(request, reply, { method: "POST", url, body: form.toString(), headers });
}

/** `POST /oidc/token`, and `/oidc/device`, `/oidc/par`: forms that clients send. */
export function postForm(url: string, deps: TokenRouteDeps) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    passForm(request, reply, { form: formOf(request.body), url, deps });
}

/** `GET /oidc/token` (design decision 17): its query is the form, and is written nowhere. */
export function getToken(deps: TokenRouteDeps) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (!deps.current().settings.oidc.tokens.token_endpoint_allow_get)
      return reply.code(404).send({ error: "not found" });
    const form = withoutEmpty(new URLSearchParams(queryOf(request.raw.url)));
    return passForm(request, reply, { form, url: "/oidc/token", deps });
  };
}
