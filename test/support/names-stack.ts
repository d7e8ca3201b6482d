import { spawnSlapd } from "@postern/testing";
import { makeAppPassword } from "../../services/auth-engine/src/second-factors/app-passwords.ts";
import { exampleLdif } from "../integration/ldap/example-directory.ts";
import { askJson } from "./ask-json.ts";
import { createBrowser, hiddenFields } from "./browser.ts";
import { type LdapProxy, startLdapProxy } from "./ldap-proxy.ts";
import { createSoftAuthenticator } from "./soft-authenticator.ts";
import { type Stack, startStack } from "./stack.ts";

const issuer = "http://localhost:8080";
const home = "/mfa/register/home";
const schema = `attributetype ( 1.3.6.1.4.1.99999.1.3 NAME 'webauthn' EQUALITY caseExactMatch SUBSTR caseExactSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
attributetype ( 1.3.6.1.4.1.99999.1.4 NAME 'appPassword' EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.3.6.1.4.1.99999.2.2 NAME 'factorUser' AUXILIARY MAY ( webauthn $ appPassword ) )
`;
const holder = `
dn: uid=holder,ou=people,dc=example,dc=test
objectClass: inetOrgPerson
objectClass: factorUser
uid: holder
cn: holder
sn: holder
mail: holder@example.test
userPassword: holder-password
webauthn: {"id":"AQIDBA==","publicKey":"AQID"}
`;
const operatorHash = "$argon2id$v=19$m=64,t=1,p=1$NqAU9gpIOrJkNAAg1eKaTg$gMXpJJAE3bkhNIKB5A4lWLyKVkbhC8pYNhXQiP5K51s";

/** All services, with their accounts in an LDAP server behind a proxy: alice and holder, who has a passkey. */
export interface NamesStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly proxy: LdapProxy;
  /** Failed attempts to sign in under a name; each resolves to the outcome that is shown, and how long the last response took. */
  readonly attempts: Readonly<Record<"password" | "appPassword" | "page" | "passkey" | "jwt", Attempt>>;
}

export type Attempt = (name: string) => Promise<{ readonly outcome: unknown; readonly tookMs: number }>;

const search = (filter: string) => ({
  protocol: ["imap", "idp", "oidc", "jwt"],
  cache_name: "people",
  base_dn: "ou=people,dc=example,dc=test",
  filter: { user: filter },
  mapping: {
    account_field: "uid",
    webauthn_credential_field: "webauthn",
    webauthn_object_class: "factorUser",
    app_password_field: "appPassword",
    display_name_field: "displayName",
  },
});

async function timed<T>(work: Promise<T>): Promise<readonly [T, number]> {
  const started = performance.now();
  return [await work, performance.now() - started];
}

let addresses = 0;
/** Few attempts for each address, because they are rate-limited. */
function nextAddress(): string {
  addresses += 1;
  return `198.51.${100 + Math.floor(addresses / 250)}.${(addresses % 250) + 1}`;
}

async function tryPasskey(idpUrl: string, handle: string): ReturnType<Attempt> {
  const browser = createBrowser([idpUrl], nextAddress());
  const login = await browser.open(home);
  const { text } = await browser.get(login.url.replace("/login?", "/login/webauthn/begin?"));
  const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
  key.create({ challenge: "unused", user: { id: Buffer.from(handle).toString("base64url") } });
  const headers = { "content-type": "application/json", "x-csrf-token": hiddenFields(login)["csrf_token"] ?? "" };
  const body = JSON.stringify({ credential: key.get(Object(JSON.parse(text)).publicKey) });
  const [page, tookMs] = await timed(browser.send("/login/webauthn/finish", { method: "POST", headers, body }));
  return { outcome: [page.status, Object(JSON.parse(page.text)).error], tookMs };
}

function attemptsOf({ url, idpUrl }: Stack): NamesStack["attempts"] {
  return {
    password: async (username) => {
      const login = { username, password: "wrong", protocol: "imap", client_ip: nextAddress() };
      const [answer, tookMs] = await timed(askJson(url, login));
      return { outcome: answer.status, tookMs };
    },
    appPassword: async (username) => {
      const { password } = makeAppPassword();
      const login = { username, password, protocol: "imap", client_ip: nextAddress() };
      const [answer, tookMs] = await timed(askJson(url, login));
      return { outcome: answer.status, tookMs };
    },
    page: async (username) => {
      const browser = createBrowser([idpUrl], nextAddress());
      const login = await browser.open(home);
      const [page, tookMs] = await timed(browser.submit(login, { username, password: "wrong" }));
      return { outcome: page.text.includes("Incorrect username or password"), tookMs };
    },
    passkey: (handle) => tryPasskey(idpUrl, handle),
    jwt: async (username) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ username, password: "wrong" });
      const [response, tookMs] = await timed(fetch(`${url}/api/v1/jwt/token`, { method: "POST", headers, body }));
      await response.arrayBuffer();
      return { outcome: response.status, tookMs };
    },
  };
}

export async function startNamesStack(): Promise<NamesStack> {
  await using starting = new AsyncDisposableStack();
  const ldif = `${exampleLdif}${holder}`;
  const slapd = starting.use(await spawnSlapd({ ldif, globalConfig: schema, logLevel: "0" }));
  const proxy = starting.use(await startLdapProxy(slapd.port, slapd.rootDn));
  const stack = starting.use(
    await startStack({
      redis: true,
      services: ["idp", "admin"],
      backends: {
        order: ["ldap"],
        ldap: {
          default: {
            server_uri: [`ldap://127.0.0.1:${proxy.port}`],
            bind_dn: slapd.rootDn,
            bind_pw: slapd.rootPassword,
            lookup_pool_size: 1,
            auth_pool_size: 1,
            // A name that is known to be absent is not searched for again; the missing time is waited for.
            negative_cache_ttl: "0s",
          },
          // One person is found by the first search, another by the second.
          search: [search("(&(sn=alice)(uid=%{user}))"), search("(uid=%{user})")],
        },
      },
      settings: {
        runtime: {
          developer_mode: true,
          servers: { http: { middlewares: { rate: false } } },
        },
        identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer } },
        auth: {
          backchannel: {
            jwt: {
              enabled: true,
              secret_key: "a-secret-key-of-at-least-32-characters",
              users: [{ username: "operator", password: operatorHash, roles: ["admin"] }],
            },
          },
        },
      },
    }),
  );
  const owned = starting.move();
  return { stack, proxy, attempts: attemptsOf(stack), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
