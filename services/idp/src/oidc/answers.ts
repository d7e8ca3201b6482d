import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { isRecord, textOf } from "./json.ts";

export interface AnswerDeps {
  readonly contentSecurityPolicy: string;
  /** Seconds between two questions for a device code. */
  readonly pollingInterval: () => number;
  /** Whether the device may ask now; a hasty question raises its interval. */
  readonly mayPoll: (deviceCode: string) => Promise<boolean>;
}

const noCredentials = "no client authentication mechanism provided";

function withRefresh(ctx: KoaContextWithOIDC, body: Readonly<Record<string, unknown>>): unknown {
  const token = ctx.oidc.entities.RefreshToken;
  if (typeof body["refresh_token"] !== "string" || token === undefined) return body;
  // The successor that the first of parallel refreshes has made is everybody's.
  const elected = textOf(ctx.state["electedRefreshToken"]);
  return { ...body, refresh_token: elected ?? body["refresh_token"], refresh_expires_in: token.remainingTTL };
}

async function shapeTokenAnswer(ctx: KoaContextWithOIDC, deps: AnswerDeps): Promise<void> {
  const body: unknown = ctx.body;
  if (!isRecord(body)) return;
  if (body["error"] === "authorization_pending") {
    const code = textOf(ctx.oidc.params?.["device_code"]);
    if (code !== undefined && !(await deps.mayPoll(code))) ctx.body = { error: "slow_down" };
    return;
  }
  ctx.body = withRefresh(ctx, body);
}

/** RFC 6749 §5.2: who shows no credentials has failed to authenticate. */
function refuseNobody(ctx: KoaContextWithOIDC): void {
  const body: unknown = ctx.body;
  if (!isRecord(body) || body["error_description"] !== noCredentials) return;
  ctx.status = 401;
  ctx.body = { error: "invalid_client", error_description: noCredentials };
}

/** Codes come by query or form; a fragment would be for tokens, which no authorization answer has. */
function tellDiscovery(ctx: KoaContextWithOIDC): void {
  const body: unknown = ctx.body;
  if (isRecord(body)) ctx.body = { ...body, response_modes_supported: ["query", "form_post"] };
}

/** The contract's shape of what the provider answers: 302 for redirects, what webmail reads of a refresh, the interval. */
export function shapeAnswers(provider: Provider, deps: AnswerDeps): void {
  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    // Before the provider: its form_post page adds the hash of its script.
    ctx.set("content-security-policy", deps.contentSecurityPolicy);
    await next();
    if (ctx.status === 303) ctx.status = 302;
    const route: unknown = ctx["_matchedRouteName"];
    if (ctx.status === 400) refuseNobody(ctx);
    if (route === "discovery") tellDiscovery(ctx);
    if (route === "token") await shapeTokenAnswer(ctx, deps);
    const body: unknown = ctx.body;
    if (route === "device_authorization" && ctx.status === 200 && isRecord(body)) {
      ctx.body = { ...body, interval: deps.pollingInterval() };
    }
  });
}
