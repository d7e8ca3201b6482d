import { decodeJwt } from "jose";
import type { BrowserSessionRecord } from "../../sessions/browser-session-port.ts";
import type { Generation } from "../provider/generation.ts";
import { textOf } from "../storage/json.ts";

/** The supported parameters of RP-Initiated Logout 1.0 §2. */
export interface LogoutRequest {
  readonly hint: string | undefined;
  readonly clientId: string | undefined;
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/**
 * `invalid`: 400. `end`: the request is proved to come from a client of this browser's user. `ask`: the user decides.
 * `clientId` is set if the client is known, `returnTo` (with the state) if its address is registered.
 */
export type LogoutDecision =
  | { readonly decision: "invalid"; readonly why: string }
  | {
      readonly decision: "end" | "ask";
      readonly clientId: string | undefined;
      readonly returnTo: string | undefined;
    };

const longestParameter = 8192;
const names = ["id_token_hint", "client_id", "post_logout_redirect_uri", "state"] as const;

/** Undefined if a parameter is repeated or too long. */
export function readLogoutRequest(query: URLSearchParams): LogoutRequest | undefined {
  const values = names.map((name) => query.getAll(name));
  if (values.some((all) => all.length > 1 || (all[0]?.length ?? 0) > longestParameter)) return undefined;
  const [hint, clientId, redirectUri, state] = values.map(([value]) => textOf(value));
  return { hint, clientId, redirectUri, state };
}

interface Hint {
  readonly clientId: string;
  readonly sub: string;
}

/** Reads an ID token that this service issued, even an expired one; undefined for anything else. */
async function readHint({ provider }: Generation, hint: string): Promise<Hint | undefined> {
  try {
    const { aud } = decodeJwt(hint);
    const audiences = Array.isArray(aud) ? aud : [aud];
    const client = await provider.Client.find(audiences[0] ?? "");
    if (client === undefined) return undefined;
    const { payload } = await provider.IdToken.validate(hint, client);
    const sub = textOf(payload.sub);
    return sub === undefined ? undefined : { clientId: client.clientId, sub };
  } catch {
    return undefined;
  }
}

function withState(uri: string, state: string | undefined): string {
  const url = new URL(uri);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

type Decided = Promise<LogoutDecision>;

interface Known {
  readonly hint: Hint | undefined;
  readonly clientId: string | undefined;
}

/** Where the browser may go: the requested address if it is registered; without a request, the client's default. */
async function placeOf(
  { provider, policies }: Generation,
  { redirectUri, state }: LogoutRequest,
  clientId: string,
): Promise<string | undefined> {
  const own = policies.get(clientId)?.config.logout_redirect_uri ?? "";
  if (redirectUri === undefined) return own === "" ? undefined : own;
  const client = await provider.Client.find(clientId);
  return client?.postLogoutRedirectUriAllowed(redirectUri) === true ? withState(redirectUri, state) : undefined;
}

async function judge(
  generation: Generation,
  request: LogoutRequest,
  { hint, clientId, session }: Known & { readonly session: BrowserSessionRecord | undefined },
): Decided {
  const returnTo = clientId === undefined ? undefined : await placeOf(generation, request, clientId);
  const isVouchedFor = hint !== undefined && (session === undefined || session.accountId === hint.sub);
  const isGood = isVouchedFor && (request.redirectUri === undefined || returnTo !== undefined);
  return { decision: isGood ? "end" : "ask", clientId, returnTo };
}

export async function decideLogout(
  generation: Generation,
  request: LogoutRequest,
  session: BrowserSessionRecord | undefined,
): Decided {
  const { clientId: requestClientId } = request;
  const hint = request.hint === undefined ? undefined : await readHint(generation, request.hint);
  if (requestClientId !== undefined && hint !== undefined && requestClientId !== hint.clientId)
    return { decision: "invalid", why: "client_id is not that of the hint" };
  const clientId = hint?.clientId ?? requestClientId;
  if (clientId !== undefined && (await generation.provider.Client.find(clientId)) === undefined)
    return { decision: "invalid", why: "unknown client" };
  return judge(generation, request, { hint, clientId, session });
}
