import { type Slapd, spawnSlapd } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { createBrowser, hiddenFields } from "../../support/browser.ts";
import { type LdapProxy, startLdapProxy } from "../../support/ldap-proxy.ts";
import { createSoftAuthenticator } from "../../support/soft-authenticator.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

/** However slow a backend is, the time tells nothing about an account if the same requests are sent for all names. */

const issuer = "http://localhost:8080";
const home = "/mfa/register/home";
const schema = `attributetype ( 1.3.6.1.4.1.99999.1.3 NAME 'webauthn' EQUALITY caseExactMatch SUBSTR caseExactSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.3.6.1.4.1.99999.2.2 NAME 'factorUser' AUXILIARY MAY webauthn )
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
const operatorHash =
  "$argon2id$v=19$m=19456,t=2,p=1$i9hIBirgp4mxAbFEwDlRJw$FDlJKJc+wynRK6RkSGcna0tfRmgFHbZE3bo+a5Rirow";

let owned: AsyncDisposableStack;
let slapd: Slapd;
let proxy: LdapProxy;
let stack: Stack;

const search = (filter: string) => ({
  protocol: ["imap", "idp", "oidc", "jwt"],
  cache_name: "people",
  base_dn: "ou=people,dc=example,dc=test",
  filter: { user: filter },
  mapping: { account_field: "uid", webauthn_credential_field: "webauthn", webauthn_object_class: "factorUser" },
});

beforeAll(async () => {
  await using starting = new AsyncDisposableStack();
  slapd = starting.use(await spawnSlapd({ ldif: `${exampleLdif}${holder}`, globalConfig: schema, logLevel: "0" }));
  proxy = starting.use(await startLdapProxy(slapd.port));
  stack = starting.use(
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
        runtime: { developer_mode: true },
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
  owned = starting.move();
});
afterAll(() => owned.disposeAsync());

/** The requests that reach the server for each of the names; the first one opens connections and is not counted. */
async function requestsFor(names: readonly string[], attempt: (name: string) => Promise<void>) {
  await attempt(names[0] ?? "");
  const requests: (readonly string[])[] = [];
  for (const name of names) {
    proxy.take();
    await attempt(name);
    requests.push(proxy.take());
  }
  return requests;
}

const names = ["alice", "holder", "nobody"];
const allAlike = (requests: readonly (readonly string[])[]) =>
  expect(new Set(requests.map((list) => list.toSorted().join(" "))).size, JSON.stringify(requests)).toBe(1);

test("a wrong password causes the same requests for a known and an unknown name", async () => {
  const requests = await requestsFor(names, async (username) => {
    const answer = await askJson(stack.url, {
      username,
      password: "wrong",
      protocol: "imap",
      client_ip: "203.0.113.9",
    });
    expect(answer.status).toBe(403);
  });
  allAlike(requests);
  expect(requests[0]?.toSorted()).toEqual(["bind", "search", "search"]);
});

test("so does a wrong password on the sign-in page", async () => {
  const requests = await requestsFor(names, async (username) => {
    const browser = createBrowser([stack.idpUrl]);
    const page = await browser.submit(await browser.open(home), { username, password: "wrong" });
    expect(page.text).toContain("Incorrect username or password");
  });
  allAlike(requests);
});

test("an unknown passkey causes the same requests whatever its user handle", async () => {
  const handles = [...names, "alice@nowhere.example", "\u{1F511}", "x".repeat(64)];
  const requests = await requestsFor(handles, async (handle) => {
    const browser = createBrowser([stack.idpUrl]);
    const login = await browser.open(home);
    const { text } = await browser.get(login.url.replace("/login?", "/login/webauthn/begin?"));
    const key = createSoftAuthenticator({ origin: issuer, rpId: "localhost" });
    key.create({ challenge: "unused", user: { id: Buffer.from(handle).toString("base64url") } });
    const page = await browser.send("/login/webauthn/finish", {
      method: "POST",
      headers: { "content-type": "application/json", "x-csrf-token": hiddenFields(login)["csrf_token"] ?? "" },
      body: JSON.stringify({ credential: key.get(Object(JSON.parse(text)).publicKey) }),
    });
    expect([page.status, Object(JSON.parse(page.text)).error]).toEqual([400, "denied"]);
  });
  allAlike(requests);
  expect(requests[0]).not.toEqual([]);
});

test("a wrong password at the JWT endpoint causes the same requests for a configured name", async () => {
  const requests = await requestsFor(["operator", ...names], async (username) => {
    const response = await fetch(`${stack.url}/api/v1/jwt/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password: "wrong" }),
    });
    expect(response.status).toBe(401);
  });
  allAlike(requests);
  expect(requests[0]).not.toEqual([]);
});
