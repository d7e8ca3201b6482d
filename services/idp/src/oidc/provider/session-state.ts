import type Provider from "oidc-provider";
import type { KoaContextWithOIDC } from "oidc-provider";
import { sessionStateOf } from "../../sessions/browser-state.ts";
import { isRecord, textOf } from "../storage/json.ts";

export interface SessionStateDeps {
  /** `Set-Cookie` values for a browser with this session; undefined while session management is off. */
  readonly browserStateCookies: (
    sessionUid: string,
    maxAgeSeconds: number | undefined,
  ) => readonly string[] | undefined;
  readonly nowSeconds: () => number;
}

type Context = KoaContextWithOIDC;

/** The origin of the client's redirect URI; undefined for the schemes of native applications, which have none. */
function originOf({ oidc: { params } }: Context): string | undefined {
  const origin = URL.parse(textOf(params?.["redirect_uri"]) ?? "")?.origin;
  return origin === "null" ? undefined : origin;
}

/** Adds `session_state` to successful authorization responses, in every response mode. */
export function addSessionState(provider: Provider, { browserStateCookies, nowSeconds }: SessionStateDeps): void {
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
