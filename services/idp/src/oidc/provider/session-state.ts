import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { sessionStateOf } from "../../sessions/browser-state.ts";
import { isRecord, textOf } from "../storage/json.ts";
import type { ProviderHooks } from "./hooks.ts";

type Context = KoaContextWithOIDC;

/** The origin of the client's redirect URI; undefined for the schemes of native applications, which have none. */
function originOf({ oidc: { params } }: Context): string | undefined {
  const origin = URL.parse(textOf(params?.["redirect_uri"]) ?? "")?.origin;
  return origin === "null" ? undefined : origin;
}

/** Adds `session_state` to successful authorization responses, in every response mode. */
export function addSessionState(provider: Provider, { browserStateCookies, nowSeconds }: ProviderHooks): void {
  // The provider writes the response after this event, from the same object.
  provider.on("authorization.success", (ctx: Context, response: unknown) => {
    const { session, client } = ctx.oidc;
    const origin = originOf(ctx);
    if (session === undefined || client === undefined || origin === undefined || !isRecord(response)) return;
    const { uid: sessionUid, exp } = session;
    const maxAge = session.transient === true ? undefined : Math.max(1, exp - nowSeconds());
    const cookies = browserStateCookies(sessionUid, maxAge);
    if (cookies === undefined) return;
    Reflect.set(response, "session_state", sessionStateOf({ clientId: client.clientId, origin, sessionUid }));
    for (const cookie of cookies) ctx.res.appendHeader("set-cookie", cookie);
  });
}
