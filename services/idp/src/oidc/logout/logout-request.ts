import { decodeJwt, decodeProtectedHeader } from "jose";
import type { BrowserSessionRecord } from "../../sessions/browser-session.ts";
import type { Generation } from "../provider/generation.ts";
import { textOf } from "../storage/models.ts";

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
const names = ["client_id", "post_logout_redirect_uri", "state"] as const;

/** The supported parameters of RP-Initiated Logout 1.0 §2; undefined if one is repeated or too long. A hint is as long as the ID tokens of this service, within the limit of the request. */
export function readLogoutRequest(query: URLSearchParams) {
  const hints = query.getAll("id_token_hint");
  const values = names.map((name) => query.getAll(name));
  if (hints.length > 1 || values.some((all) => all.length > 1 || (all[0]?.length ?? 0) > longestParameter))
    return undefined;
  const [clientId, redirectUri, state] = values.map(([value]) => textOf(value));
  return { hint: textOf(hints[0]), clientId, redirectUri, state };
}

export type LogoutRequest = NonNullable<ReturnType<typeof readLogoutRequest>>;

interface Hint {
  readonly clientId: string;
  readonly sub: string;
  /** Undefined in a token that an earlier version issued, or that was not issued in a browser's session. */
  readonly sid: string | undefined;
}

/** What a hint says of itself; undefined if it is no signed ID token of this issuer. */
function issuedAs(hint: string, issuer: string): { readonly kid: string; readonly clientId: string } | undefined {
  try {
    const { kid } = decodeProtectedHeader(hint);
    const { iss, aud } = decodeJwt(hint);
    const clientId = Array.isArray(aud) ? aud[0] : aud;
    return kid === undefined || iss !== issuer || clientId === undefined ? undefined : { kid, clientId };
  } catch {
    return undefined;
  }
}

/**
 * Reads an ID token that this service issued, even an expired one. `unverifiable`: the key that it names is not published any more, as
 * after rotations, so that it is no proof of anything. `invalid`: it was not issued here, or it was changed.
 */
async function readHint(generation: Generation, hint: string): Promise<Hint | "invalid" | "unverifiable"> {
  const { provider, settings, publicKeys } = generation;
  const issued = issuedAs(hint, settings.issuer);
  if (issued === undefined) return "invalid";
  if (!publicKeys.has(issued.kid)) return "unverifiable";
  const client = await provider.Client.find(issued.clientId);
  if (client === undefined) return "invalid";
  try {
    const { payload } = await provider.IdToken.validate(hint, client);
    const sub = textOf(payload.sub);
    return sub === undefined ? "invalid" : { clientId: client.clientId, sub, sid: textOf(payload["sid"]) };
  } catch {
    return "invalid";
  }
}

function withState(uri: string, state: string | undefined): string {
  const url = new URL(uri);
  if (state !== undefined) url.searchParams.set("state", state);
  return url.href;
}

type Decided = Promise<LogoutDecision>;

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

/** An ID token of another session of the same user, which may be old, is no request to end this one. */
function isVouchedFor(hint: Hint | undefined, session: BrowserSessionRecord | undefined): boolean {
  if (hint === undefined || session === undefined) return hint !== undefined;
  const { clientId, sub, sid } = hint;
  const { accountId, authorizations } = session;
  return accountId === sub && sid !== undefined && authorizations[clientId]?.sid === sid;
}

async function judge(
  generation: Generation,
  request: LogoutRequest,
  clientId: string | undefined,
  hasProof: boolean,
): Decided {
  const returnTo = clientId === undefined ? undefined : await placeOf(generation, request, clientId);
  const isGood = hasProof && (request.redirectUri === undefined || returnTo !== undefined);
  return { decision: isGood ? "end" : "ask", clientId, returnTo };
}

export async function decideLogout(
  generation: Generation,
  request: LogoutRequest,
  session: BrowserSessionRecord | undefined,
): Decided {
  const { clientId: requestClientId } = request;
  const read = request.hint === undefined ? "unverifiable" : await readHint(generation, request.hint);
  if (read === "invalid") return { decision: "invalid", why: "the id_token_hint is not an ID token of this issuer" };
  const hint = read === "unverifiable" ? undefined : read;
  if (requestClientId !== undefined && hint !== undefined && requestClientId !== hint.clientId)
    return { decision: "invalid", why: "client_id is not that of the hint" };
  const clientId = hint?.clientId ?? requestClientId;
  if (clientId !== undefined && (await generation.provider.Client.find(clientId)) === undefined)
    return { decision: "invalid", why: "unknown client" };
  return judge(generation, request, clientId, isVouchedFor(hint, session));
}
