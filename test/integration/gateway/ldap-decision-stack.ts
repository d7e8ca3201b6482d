import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { type HoldingProxy, startHoldingProxy } from "../../support/holding-proxy.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { exampleLdif } from "../ldap/example-directory.ts";

export const inFlightOfEngine = 4;

export const groups = "ou=groups,dc=example,dc=test";
const ldif = `${exampleLdif}
dn: ${groups}
objectClass: organizationalUnit
ou: groups

dn: cn=staff,${groups}
objectClass: groupOfNames
cn: staff
member: uid=alice,ou=people,dc=example,dc=test

dn: cn=employees,${groups}
objectClass: groupOfNames
cn: employees
member: cn=staff,${groups}
`;

export const alice = { username: "alice", password: "alice-password", protocol: "imap", client_ip: "203.0.113.9" };

export interface LdapStack extends AsyncDisposable {
  readonly slapd: Slapd;
  /** Between the engines and the directory. */
  readonly proxy: HoldingProxy;
  readonly stack: Stack;
}

function backendsOf(slapd: Slapd, port: number) {
  return {
    order: ["ldap"],
    ldap: {
      default: {
        server_uri: [`ldap://127.0.0.1:${port}`],
        bind_dn: slapd.rootDn,
        bind_pw: slapd.rootPassword,
        lookup_pool_size: 2,
        auth_pool_size: 8,
        cb_cooldown: "1s",
        membership_cache_ttl: "0s",
      },
      search: [
        {
          protocol: ["imap"],
          cache_name: "mail",
          base_dn: `ou=people,${slapd.suffix}`,
          filter: { user: "(&(objectClass=inetOrgPerson)(uid=%L{user}))" },
          mapping: { account_field: "uid" },
          attribute: ["cn", "mail", "userPassword"],
          release_dn: true,
          groups: {
            strategy: "search",
            base_dn: groups,
            filter: "(member=%{user_dn})",
            recursive: true,
            release_as: "memberships",
          },
        },
      ],
    },
  };
}

/** Two engines that ask one directory, with groups. */
export async function startLdapStack(): Promise<LdapStack> {
  await using owned = new AsyncDisposableStack();
  const slapd = owned.use(await spawnSlapd({ ldif }));
  const proxy = owned.use(await startHoldingProxy(slapd.port));
  const stack = owned.use(
    await startStack({
      engines: 2,
      backends: backendsOf(slapd, proxy.port),
      settings: {
        runtime: {
          bus: { max_in_flight: inFlightOfEngine },
          timeouts: { decision: "2s", ldap_search: "1s", ldap_bind: "1s" },
        },
        // The caches are off, so that every login queries the directory.
        auth: { pipeline: { local_cache_ttl: "0s" } },
      },
    }),
  );
  await poll("the heartbeats", async () => (await stack.gateway.metrics()).includes("service_engines_heard 2\n"));
  const all = owned.move();
  return { slapd, proxy, stack, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
