import { type AdapterPayload, type KoaContextWithOIDC, Provider } from "oidc-provider";
import { implicitTypeOf } from "../settings/response-types.ts";
import { isRecord, textOf } from "../storage/models.ts";

/** The origin of a token, for the session list; the provider does not store it in access tokens. */
export type TokenOrigin = Pick<AdapterPayload, "redirectUri" | "authTime" | "amr">;

const sources = ["AuthorizationCode", "RotatedRefreshToken", "RefreshToken", "DeviceCode"] as const;

async function redirectOf(
  id: string | undefined,
  refreshed: (id: string) => Promise<AdapterPayload | undefined>,
): Promise<string | undefined> {
  return id === undefined ? undefined : (await refreshed(id))?.redirectUri;
}

/** The sign-in itself, where the authorization endpoint issues a token (implicit flow). */
function signInSource({ oidc }: KoaContextWithOIDC): Readonly<Record<string, unknown>> | undefined {
  const { params, session } = oidc;
  if (implicitTypeOf(params?.["response_type"]) === undefined || session === undefined) return undefined;
  // Read only here: at the token endpoint there is no sign-in that they could come from.
  const { claims, acr, amr } = oidc;
  return { redirectUri: params?.["redirect_uri"], authTime: session.authTime(), claims, acr, amr };
}

/** The code or refresh token of the current request, or its sign-in. */
export function tokenSource(): Readonly<Record<string, unknown>> | undefined {
  const { ctx } = Provider;
  const implicit = ctx?.oidc === undefined ? undefined : signInSource(ctx);
  if (implicit !== undefined) return implicit;
  const entities: unknown = ctx?.oidc.entities;
  if (!isRecord(entities)) return undefined;
  const source = sources.map((name) => entities[name]).find((entity) => isRecord(entity));
  return isRecord(source) ? source : undefined;
}

/**
 * The origin in the current request: from its code, or from its refresh token.
 *
 * @param refreshed the stored record of a refresh token, by its identifier
 */
export async function tokenOrigin(
  refreshed: (id: string) => Promise<AdapterPayload | undefined>,
): Promise<TokenOrigin | undefined> {
  const source = tokenSource();
  if (source === undefined) return undefined;
  const { authTime, amr } = source;
  const redirectUri = textOf(source["redirectUri"]) ?? (await redirectOf(textOf(source["jti"]), refreshed));
  return {
    ...(redirectUri !== undefined && { redirectUri }),
    ...(typeof authTime === "number" && { authTime }),
    ...(Array.isArray(amr) && { amr: amr.filter((item) => typeof item === "string") }),
  };
}
