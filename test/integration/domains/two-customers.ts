import { DatabaseSync } from "node:sqlite";
import { type Slapd, spawnSlapd } from "@postern/testing";
import type { Tree } from "../../support/stack-config.ts";
import { startTcpRecorder, type TcpRecorder } from "../../support/tcp-server.ts";

/** @param mail addresses with commas */
function person(uid: string, mail: string, password: string): string {
  return [
    `dn: uid=${uid},ou=people,dc=example,dc=test`,
    "objectClass: inetOrgPerson",
    `uid: ${uid}`,
    `cn: ${uid}`,
    `sn: ${uid}`,
    ...mail.split(",").map((address) => `mail: ${address}`),
    `userPassword: ${password}`,
    "",
    "",
  ].join("\n");
}

export interface Customer {
  readonly slapd: Slapd;
  readonly recorder: TcpRecorder;
  /** Whether the directory has received any of these texts since the start. */
  heard(...texts: readonly string[]): boolean;
}

/** A customer's directory behind a proxy that records what it receives. People are `uid`, mail address and password. */
export async function startCustomer(
  owned: AsyncDisposableStack,
  people: readonly (readonly [uid: string, mail: string, password: string])[],
): Promise<Customer> {
  const entries = people.map((one) => person(...one)).join("");
  const slapd = owned.use(
    await spawnSlapd({
      ldif: `dn: ou=people,dc=example,dc=test\nobjectClass: organizationalUnit\nou: people\n\n${entries}`,
    }),
  );
  const recorder = owned.use(await startTcpRecorder(() => slapd.port));
  return {
    slapd,
    recorder,
    heard: (...texts) => recorder.sent.some((sent) => texts.some((text) => sent.includes(text))),
  };
}

const search = (pool: string, account: string) => ({
  protocol: ["imap", "smtp", "pop3", "mfa", "flush", "idp", "oidc", "saml"],
  cache_name: "mail",
  pool_name: pool,
  base_dn: "ou=people,dc=example,dc=test",
  filter: { user: "(mail=%L{user})" },
  mapping: { account_field: account },
  attribute: ["cn", "mail"],
});

const pool = ({ recorder }: Customer) => ({
  server_uri: [`ldap://127.0.0.1:${recorder.port}`],
  bind_dn: "cn=admin,dc=example,dc=test",
  bind_pw: "slapd-root-password",
  negative_cache_ttl: "0s",
  connect_abort_timeout: "10s",
});

/** `auth.backends.ldap` with the pools `a`, which names accounts by their addresses, and `b`, which names them by `uid`. */
export function customerPools(a: Customer, b: Customer): Tree {
  return { pools: { a: pool(a), b: pool(b) }, search: [search("a", "mail"), search("b", "uid")] };
}

/** Records of domains in an SQLite database, by name and alias. */
export function createRecords(file: string) {
  const database = new DatabaseSync(file);
  database.exec(
    "CREATE TABLE domains (name TEXT PRIMARY KEY, alias TEXT, enabled INTEGER, message TEXT, backends TEXT, attributes TEXT); CREATE INDEX aliases ON domains (alias)",
  );
  return {
    database,
    put: (name: string, { alias = "", enabled = 1, message = "", backends = "", attributes = "{}" } = {}): void => {
      database
        .prepare("INSERT OR REPLACE INTO domains VALUES (?, ?, ?, ?, ?, ?)")
        .run(name, alias, enabled, message, backends, attributes);
    },
    [Symbol.dispose]: () => database.close(),
  };
}

export const recordsQuery =
  "SELECT name, alias AS aliases, enabled, message, backends, attributes FROM domains WHERE name = :domain OR alias = :domain";
