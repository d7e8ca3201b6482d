import { createHash, randomBytes } from "node:crypto";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import type { RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { type NewSession, SessionStore } from "../../services/idp/src/sessions/session-store-redis.ts";
import { callback, type OidcStack } from "./oidc-stack.ts";

const hour = 3_600_000;

export function sessionStore(redis: RedisClient): SessionStore {
  const keys = createKeyRing([new Secret("test-encryption-secret")], "browser-session");
  const lives = { absoluteMs: hour, idleMs: hour, rememberMs: hour };
  return new SessionStore({
    redis,
    keyPrefix: "postern:",
    keys,
    clock: systemClock,
    lives,
    isRefused: () => false,
  });
}

/** Stores a session for the account. @returns the cookie of a browser that is signed in */
export async function signedIn(
  redis: RedisClient,
  account = "alice@example.test",
  more: Partial<NewSession> = {},
): Promise<string> {
  const { sid } = await sessionStore(redis).create({
    accountId: account,
    account,
    displayName: "Alice Example",
    attributes: { mail: [account], uid: ["alice"] },
    loginTs: Math.floor(systemClock.now() / 1000) - 60,
    amr: ["pwd"],
    remember: false,
    ...more,
  });
  return `service_session=${sid}`;
}

export interface CodeRequest {
  readonly clientId: string;
  readonly scope?: string;
  readonly more?: Readonly<Record<string, string>>;
}

export interface AuthorizationAnswer {
  readonly status: number;
  readonly location: URL | undefined;
  readonly verifier: string;
  readonly text: string;
  readonly cookies: readonly string[];
}

/** Sends `GET /oidc/authorize` with PKCE and the browser's cookie, if any. */
export async function authorize(
  oidc: Pick<OidcStack, "issuer">,
  { clientId, scope = "openid profile email offline_access", more = {} }: CodeRequest,
  cookie?: string,
): Promise<AuthorizationAnswer> {
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: callback,
    scope,
    state: "state-1",
    nonce: "nonce-1",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
    ...more,
  });
  for (const [name, value] of Array.from(query)) if (value === "") query.delete(name);
  const headers: Record<string, string> = { accept: "text/html", ...(cookie !== undefined && { cookie }) };
  const response = await fetch(`${oidc.issuer}/oidc/authorize?${query.toString()}`, { redirect: "manual", headers });
  const location = response.headers.get("location");
  return {
    status: response.status,
    location: location === null ? undefined : new URL(location, oidc.issuer),
    verifier,
    text: await response.text(),
    cookies: response.headers.getSetCookie(),
  };
}

export interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
}

/** Sends `POST /oidc/token` to one replica. */
export async function askToken(
  oidc: OidcStack,
  form: Readonly<Record<string, string>>,
  { replica = 0, client }: { readonly replica?: number; readonly client?: string } = {},
): Promise<TokenAnswer> {
  const authorization = client === undefined ? {} : { authorization: `Basic ${btoa(`${client}:${client}-secret`)}` };
  const response = await oidc.ask(replica, "/oidc/token", {
    method: "POST",
    headers: authorization,
    body: new URLSearchParams(form),
  });
  return { status: response.status, body: Object(await response.json()), headers: response.headers };
}

/** Requests a code in a signed-in browser. @returns the form that redeems it */
export async function codeForm(
  oidc: Pick<OidcStack, "issuer">,
  request: CodeRequest,
  cookie: string,
): Promise<Record<string, string>> {
  const { location, verifier, text } = await authorize(oidc, request, cookie);
  const code = location?.searchParams.get("code");
  if (code === null || code === undefined) throw new Error(`no code: ${location?.href ?? text}`);
  return { grant_type: "authorization_code", code, redirect_uri: callback, code_verifier: verifier };
}

export function claimsOf(jwt: unknown): Readonly<Record<string, unknown>> {
  return Object(JSON.parse(Buffer.from(String(jwt).split(".")[1] ?? "", "base64url").toString("utf8")));
}
