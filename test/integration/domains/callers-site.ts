import { join } from "node:path";
import { fillPath, type Operation } from "@postern/shared/contracts";
import { freePort, scratchFolder } from "@postern/testing";
import { askAdmin } from "../../support/ask-admin.ts";
import { basicOf } from "../../support/dialects.ts";
import { grpcClient } from "../../support/grpc-client.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends, merged } from "../../support/stack-config.ts";
import { createRecords, customerPools, recordsQuery, startCustomer } from "./two-customers.ts";

export const limited = basicOf("customer", "password-of-the-customer");
export const ofSource = basicOf("of-source", "password-of-the-source");
export const ofTwo = basicOf("reseller", "password-of-the-reseller");
export const meansDefault = basicOf("old-server", "password-of-the-server");

/** Of the caller's domain, and of another, in each case with a name that nobody has. */
export const own = "alice@example.test";
export const outside = "eve@b.test";
/** Also of another domain; other callers ask about it. */
export const foreign = "bob@b.test";
export const nobody = "nobody@example.test";
export const othersOutside = ["nobody@b.test", "nobody@nowhere.test", "Mallory@B.test", "nobody@xn--bcher-kva.test"];

/** All services with an SQL backend, the directory of another domain behind a recorder, and callers that are limited to domains. */
export async function startCallersSite(owned: AsyncDisposableStack) {
  const b = await startCustomer(owned, [
    ["bob", foreign, "password-of-bob"],
    ["eve", outside, "password-of-eve"],
    ["zoe", "zoe@src.test", "password-of-zoe"],
  ]);
  const { path } = owned.use(await scratchFolder());
  const file = join(path, "domains.sqlite");
  const records = owned.use(createRecords(file));
  records.put("src.test", { alias: "src-alias.test", backends: "ldap(a)" });
  records.put("torn.test", { backends: "ldap(gone)" });
  const [httpPort, grpcPort] = await Promise.all([freePort(), freePort()]);
  const issuer = `http://127.0.0.1:${httpPort}`;
  const demo = demoBackends(path);
  const ldap = customerPools(b, b);
  const list = {
    queries: {
      list_accounts: "SELECT username AS account FROM users",
    },
  };
  const [demoSearch] = Object(demo["sql"]).search;
  const [search] = Object(ldap["search"]);
  const stack = owned.use(
    await startStack({
      redis: true,
      httpPort,
      services: ["admin", "idp"],
      backends: {
        ...demo,
        sql: {
          ...Object(demo["sql"]),
          pools: { domains: { file, busy_timeout: "200ms" } },
          search: [merged(demoSearch, list)],
        },
        ldap: {
          ...ldap,
          search: [merged(Object(search), { filter: { list_accounts: "(objectClass=inetOrgPerson)" } })],
        },
      },
      settings: {
        runtime: {
          servers: {
            http: { auth_policy_endpoint: true, rate_limit: { per_second: 10_000, burst: 10_000 } },
            grpc: { authority: { enabled: true, address: `127.0.0.1:${grpcPort}` } },
          },
        },
        observability: { decision_history: { enabled: true } },
        auth: {
          upstreams: { imap: { address: "192.0.2.1", port: 1143 } },
          domains: {
            records: [
              { name: "example.test", aliases: ["alias.test"] },
              { name: "b.test", backends: ["ldap(a)"] },
            ],
            source: { kind: "sql", pool: "domains", query: recordsQuery, backends: ["ldap(a)"] },
          },
          backchannel: {
            oidc_bearer: { enabled: true, issuer },
            callers: [
              { name: "customer", password: "password-of-the-customer", domains: ["Example.test"] },
              { name: "reseller", password: "password-of-the-reseller", domains: ["example.test", "b.test"] },
              { name: "of-source", password: "password-of-the-source", domains: ["src-alias.test"] },
              { name: "old-server", password: "password-of-the-server", default_domain: "example.test" },
            ],
          },
        },
        identity: {
          frontend: { enabled: true },
          oidc: {
            enabled: true,
            issuer,
            clients: [
              {
                client_id: "of-customer",
                client_secret: "secret-of-the-client",
                scopes: ["service:authenticate", "service:security"],
                grant_types: ["client_credentials"],
                domains: ["example.test"],
              },
            ],
          },
        },
      },
    }),
  );
  const grpc = owned.use(grpcClient(`127.0.0.1:${grpcPort}`));
  const response = await fetch(`${issuer}/oidc/token`, {
    method: "POST",
    headers: { authorization: basicOf("of-customer", "secret-of-the-client") },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "service:authenticate service:security" }),
  });
  const token = `Bearer ${Object(await response.json()).access_token}`;
  return { stack, grpc, b, records, token };
}

export interface Seen {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const varying: ReadonlySet<string> = new Set([
  "date",
  "x-service-session",
  "content-length",
  "keep-alive",
  "connection",
]);

/** An answer as a caller compares it with others: without what differs in each, and without the name that it sent. */
export function seen(status: number, headers: Iterable<readonly [string, string]>, body: string, name: string): Seen {
  const kept = [...headers].map(([key, value]) => [key.toLowerCase(), value] as const);
  const plain = body
    .replaceAll(new RegExp(name.replaceAll(".", String.raw`\.`), "giu"), "NAME")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gu, "GUID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "TIME");
  return { status, headers: Object.fromEntries(kept.filter(([key]) => !varying.has(key))), body: plain };
}

/** Enough of a body for every operation about an account. */
const members = {
  totp_secret: "JBSWY3DPEHPK3PXP",
  codes: ["12345678"],
  credential: "{}",
  old_credential: "{}",
  id: "x",
};

/** The parts of a request in which an operation names its account or domain. */
function partsNaming({ concerns, request }: Operation, name: string) {
  const parameters = Object.fromEntries(Object.keys(request?.path?.properties ?? {}).map((key) => [key, "x"]));
  const parts = { path: parameters, query: {}, body: members };
  if (concerns === undefined || !("member" in concerns)) return parts;
  return { ...parts, [concerns.in]: { ...parts[concerns.in], [concerns.member]: name } };
}

/** Sends a request about an account. */
export async function askAbout(siteUrl: string, one: Operation, name: string, authorization: string): Promise<Seen> {
  const { path, query, body } = partsNaming(one, name);
  const hasBody = one.request?.body !== undefined && one.method !== "get";
  const url = `${siteUrl}${fillPath(one.path, path)}?${new URLSearchParams(query)}`;
  const response = await fetch(url, {
    method: one.method.toUpperCase(),
    headers: { authorization, ...(hasBody && { "content-type": "application/json" }) },
    ...(hasBody && { body: JSON.stringify(body) }),
  });
  return seen(response.status, response.headers, await response.text(), name);
}

/** Whether a caller sees the suspensions of `own` and `foreign`. */
export async function suspendedOf(stack: Stack, authorization: string): Promise<boolean[]> {
  const { text } = await askAdmin(stack, "GET", "/api/v1/suspensions", { headers: { authorization } });
  return [own, foreign].map((name) => text.includes(name));
}

export async function listAccounts(stack: Stack, authorization: string): Promise<unknown> {
  const response = await fetch(`${stack.url}/api/v1/auth/json?mode=list-accounts`, {
    method: "POST",
    headers: { authorization, accept: "application/json", "content-type": "application/json" },
    body: JSON.stringify({ protocol: "imap" }),
  });
  return response.json();
}
