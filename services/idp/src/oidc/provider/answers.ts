import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { isRecord, textOf } from "../storage/models.ts";
import type { ProviderHooks } from "./hooks.ts";

const noCredentials = "no client authentication mechanism provided";

function withRefresh(ctx: KoaContextWithOIDC, body: Readonly<Record<string, unknown>>): unknown {
  const token = ctx.oidc.entities.RefreshToken;
  if (typeof body["refresh_token"] !== "string" || token === undefined) return body;
  // All parallel refreshes return the successor that the first one created.
  const elected = textOf(ctx.state["electedRefreshToken"]);
  return { ...body, refresh_token: elected ?? body["refresh_token"], refresh_expires_in: token.remainingTTL };
}

async function shapeTokenAnswer(ctx: KoaContextWithOIDC, { mayPoll }: ProviderHooks): Promise<void> {
  const body: unknown = ctx.body;
  if (!isRecord(body)) return;
  if (body["error"] === "authorization_pending") {
    const code = textOf(ctx.oidc.params?.["device_code"]);
    if (code !== undefined && !(await mayPoll(code))) ctx.body = { error: "slow_down" };
    return;
  }
  ctx.body = withRefresh(ctx, explained(ctx, body));
}

/** Reasons for which the provider refuses a grant with the same text as for all others, and which the client can mend. */
const missingProofs: ReadonlySet<unknown> = new Set([
  "DPoP proof JWT not provided",
  "missing DPoP proof JWT",
  "mutual TLS client certificate not provided",
]);

function explained(
  ctx: KoaContextWithOIDC,
  body: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const refusal: unknown = ctx.state["grantRefusal"];
  const detail: unknown = refusal instanceof Error && "error_detail" in refusal ? refusal.error_detail : undefined;
  return missingProofs.has(detail) ? { ...body, error_description: detail } : body;
}

/** RFC 6749 §5.2: a request without credentials has failed to authenticate. */
function refuseMissingCredentials(ctx: KoaContextWithOIDC): void {
  const body: unknown = ctx.body;
  if (!isRecord(body) || body["error_description"] !== noCredentials) return;
  ctx.status = 401;
  ctx.body = { error: "invalid_client", error_description: noCredentials };
}

/** The code as the device shows it, and the link that contains it, both with the name of the region if there are several. */
function namedCode(body: Readonly<Record<string, unknown>>, { userCodes }: ProviderHooks) {
  const [code, link] = [textOf(body["user_code"]), textOf(body["verification_uri_complete"])];
  if (userCodes.region === undefined || code === undefined || link === undefined) return {};
  const user_code = userCodes.shown(code);
  const complete = new URL(link);
  complete.search = new URLSearchParams({ region: userCodes.region, user_code }).toString();
  return { user_code, verification_uri_complete: complete.href };
}

/** Adapts the provider's answers to docs/reference/api/idp.yaml: 302 for redirects, members that webmail reads, the polling interval. */
export function shapeAnswers(provider: Provider, hooks: ProviderHooks, claimsSupported: readonly string[]): void {
  provider.on("grant.error", (ctx, error) => {
    ctx.state["grantRefusal"] = error;
  });
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    // Before the provider: its form_post page adds the hash of its script.
    ctx.set("content-security-policy", hooks.contentSecurityPolicy);
    await next();
    if (ctx.status === 303) ctx.status = 302;
    const route: unknown = ctx["_matchedRouteName"];
    if (ctx.status === 400) refuseMissingCredentials(ctx);
    // RFC 9110 §15.5.2; the provider itself challenges only requests with an Authorization header.
    if (ctx.status === 401 && !ctx.response.get("www-authenticate")) {
      ctx.set("www-authenticate", `Basic realm="${provider.issuer}"`);
    }
    if (route === "token") await shapeTokenAnswer(ctx, hooks);
    const body: unknown = ctx.body;
    if (route === "discovery" && isRecord(body)) {
      ctx.body = { ...body, claims_supported: claimsSupported, ...hooks.discoveryMembers() };
    }
    if (route === "device_authorization" && ctx.status === 200 && isRecord(body)) {
      ctx.body = { ...body, ...namedCode(body, hooks), interval: hooks.pollingInterval() };
    }
  });
}
