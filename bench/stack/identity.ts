import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { createRedisClient, type RedisClient } from "@postern/shared/platform/redis";
import { systemClock } from "@postern/shared/platform/time";
import { poll } from "@postern/testing";
import { SessionStore } from "../../services/idp/src/sessions/session-store-redis.ts";
import { encryptionSecret } from "./config.ts";
import { mailOf } from "./users.ts";

const hourMs = 3_600_000;
const callback = "https://mail.example.test/callback";
const scope = "openid email";

/** Users' clients, one for each form of token, and a mail server that introspects. */
export type TokenForm = "opaque" | "jwt";

const forms: readonly TokenForm[] = ["opaque", "jwt"];
const secretOf = (clientId: string): string => `${clientId}-bench-secret`;
export const introspector = `Basic ${btoa(`mail-server:${secretOf("mail-server")}`)}`;

/** `identity`, and other keys that the load of browsers and mail servers needs. */
export function identityConfig(issuer: string): object {
  const users = forms.map((form) => ({
    client_id: form,
    client_secret: secretOf(form),
    redirect_uris: [callback],
    skip_consent: true,
    access_token_type: form,
    scopes: scope.split(" "),
  }));
  const server = { client_id: "mail-server", client_secret: secretOf("mail-server"), resource_server: true };
  return {
    frontend: { enabled: true },
    oidc: { enabled: true, issuer, clients: [...users, { ...server, scopes: [], grant_types: [] }] },
  };
}

function connect(port: number): RedisClient {
  const settings = {
    topology: { kind: "standalone", address: { host: "127.0.0.1", port } },
    database: 0,
    username: undefined,
    password: undefined,
    tls: undefined,
    connectTimeoutMs: 1000,
    commandTimeoutMs: 1000,
    maxRetries: 1,
    connectionName: "bench",
  } as const;
  return createRedisClient(settings, () => undefined);
}

/** A browser's cookie as after a sign-in. */
async function signIn(redis: RedisClient, account: string): Promise<string> {
  const keys = createKeyRing([new Secret(encryptionSecret)], "browser-session");
  const lives = { absoluteMs: hourMs, idleMs: hourMs, rememberMs: 0 };
  const sessions = new SessionStore({
    redis,
    keyPrefix: "postern:",
    keys,
    clock: systemClock,
    lives,
    isRefused: () => false,
  });
  const loginTs = Math.floor(systemClock.now() / 1000);
  const attributes = { mail: [account], uid: [account] };
  const session = { accountId: account, account, attributes, loginTs, amr: ["pwd"], remember: false };
  return `service_session=${(await sessions.create({ ...session, displayName: "A User" })).sid}`;
}

async function tokenOf(issuer: string, clientId: TokenForm, cookie: string): Promise<string> {
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, redirect_uri: callback, scope });
  const options = { redirect: "manual", headers: { cookie } } as const;
  const answer = await fetch(`${issuer}/oidc/authorize?${query.toString()}`, options);
  await answer.arrayBuffer();
  const code = new URL(answer.headers.get("location") ?? "", issuer).searchParams.get("code") ?? "";
  const redeemed = await fetch(`${issuer}/oidc/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${clientId}:${secretOf(clientId)}`)}` },
    body: new URLSearchParams({ grant_type: "authorization_code", code, redirect_uri: callback }),
  });
  const { access_token: token }: { readonly access_token?: unknown } = Object(await redeemed.json());
  if (typeof token !== "string") throw new Error(`no token: ${redeemed.status} ${answer.headers.get("location")}`);
  return token;
}

/** Obtains tokens for the given number of users, by the code flow. */
export async function issueUserTokens(
  { issuer, redisPort }: { readonly issuer: string; readonly redisPort: number },
  form: TokenForm,
  users: number,
): Promise<readonly string[]> {
  const redis = connect(redisPort);
  try {
    await poll("the bench's Redis client", () => redis.status === "ready");
    const tokens: string[] = [];
    for (let index = 0; index < users; index += 1) {
      tokens.push(await tokenOf(issuer, form, await signIn(redis, mailOf(index))));
    }
    return tokens;
  } finally {
    redis.disconnect();
  }
}
