import { Secret } from "@postern/shared/platform/crypto";
import { systemClock } from "@postern/shared/platform/time";
import type { BackendContext, BackendQuery } from "../../../services/auth-engine/src/backends/backend.ts";
import { createLdapBackend, type LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import type {
  LdapPoolSettings,
  LdapSearchSettings,
} from "../../../services/auth-engine/src/backends/ldap/ldap-settings.ts";

/** The people of the tests; each password is `<uid>-password`. Two have the same mail address. */
export const exampleLdif = `dn: ou=people,dc=example,dc=test
objectClass: organizationalUnit
ou: people

dn: cn=reader,dc=example,dc=test
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: reader
userPassword: reader-password

${person("alice", "mail: alice@example.test\nmail: a.liddell@example.test\nmail: shared@example.test\njpegPhoto:: /9j/AAEC\n")}
${person("bob", "mail: bob@example.test\nmail: shared@example.test\n")}
dn: cn=Nameless\\, Person,ou=people,dc=example,dc=test
objectClass: person
cn: Nameless, Person
sn: Person
userPassword: nameless-password
`;

function person(uid: string, extra: string): string {
  return `dn: uid=${uid},ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
displayName: Displayed ${uid}
userPassword: ${uid}-password
${extra}`;
}

export function examplePool(
  serverUris: readonly string[],
  overrides: Partial<LdapPoolSettings> = {},
): LdapPoolSettings {
  return {
    serverUris,
    bindDn: "cn=reader,dc=example,dc=test",
    bindPassword: new Secret("reader-password"),
    saslExternal: false,
    startTls: false,
    tls: { skipVerify: false },
    lookupPoolSize: 2,
    authPoolSize: 4,
    lookupIdleSize: 0,
    authIdleSize: 0,
    lookupQueueLength: 0,
    authQueueLength: 0,
    connectTimeoutMs: 400,
    searchTimeoutMs: 400,
    bindTimeoutMs: 400,
    searchTimeLimitSeconds: 0,
    breaker: { failureThreshold: 5, cooldownMs: 30_000, halfOpenMax: 1 },
    healthCheckIntervalMs: 200,
    healthCheckTimeoutMs: 200,
    modifyTimeoutMs: 400,
    lookupPoolOnly: false,
    composesPasswords: false,
    bindRate: { perSecond: 0, burst: 0 },
    decoyDns: [],
    caches: { negativeTtlMs: 0, dnTtlMs: 0, membershipTtlMs: 0, maxEntries: 100, evict: "ttl" },
    ...overrides,
  };
}

export const exampleSearch: LdapSearchSettings = {
  protocols: ["imap", "smtp"],
  poolName: "default",
  baseDn: "ou=people,dc=example,dc=test",
  scope: "sub",
  userFilter: "(&(objectClass=person)(|(uid=%L{user})(mail=%s)(cn=%s)))",
  accountField: "uid",
  totpSecretField: "description",
  mfa: {
    totp: { field: "description", objectClass: "" },
    recoveryCodes: { field: "", objectClass: "" },
    webauthn: { field: "", objectClass: "" },
    appPasswords: { field: "", objectClass: "" },
    displayNameField: "displayName",
    uniqueUserIdField: "entryUUID",
  },
  attributes: ["mail", "displayname", "jpegPhoto", "dn", "telephoneNumber"],
};

export const silentLog = { warn: () => undefined, info: () => undefined };

export function exampleDirectory(
  serverUris: readonly string[],
  pool: Partial<LdapPoolSettings> = {},
  search: Partial<LdapSearchSettings> = {},
): LdapBackend {
  return createLdapBackend(
    {
      name: "example",
      pools: { default: examplePool(serverUris, pool) },
      searches: [{ ...exampleSearch, ...search }],
    },
    { clock: systemClock, log: silentLog },
  );
}

export const ask = (username: string, protocol = "imap"): BackendQuery => ({ username, protocol });

export function within(ms: number, signal: AbortSignal = new AbortController().signal): BackendContext {
  return { deadline: Date.now() + ms, signal };
}
