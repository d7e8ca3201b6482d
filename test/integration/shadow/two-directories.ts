import { type Slapd, spawnSlapd } from "@postern/testing";
import type { Tree } from "../../support/stack-config.ts";

/** Attributes of a person beside those that all have. Without `password`, it is `<uid>-password`. */
export interface PersonOverrides {
  readonly password?: string;
  readonly mail?: string;
  readonly lines?: readonly string[];
}

/** Half of the accounts have another domain. */
export const mailOf = (number: number): string => `p${number}@${number % 2 === 0 ? "example.test" : "other.test"}`;

function person(number: number, { password, mail, lines = [] }: PersonOverrides): string {
  return [
    `dn: uid=p${number},ou=people,dc=example,dc=test`,
    "objectClass: inetOrgPerson",
    `uid: p${number}`,
    `cn: p${number}`,
    `sn: p${number}`,
    `userPassword: ${password ?? `p${number}-password`}`,
    `mail: ${mail ?? mailOf(number)}`,
    ...lines,
    "",
    "",
  ].join("\n");
}

/** A directory with these people. */
export function spawnPeople(
  numbers: readonly number[],
  overrides: (number: number) => PersonOverrides = () => ({}),
): Promise<Slapd> {
  const people = numbers.map((number) => person(number, overrides(number)));
  return spawnSlapd({
    ldif: `dn: ou=people,dc=example,dc=test\nobjectClass: organizationalUnit\nou: people\n\n${people.join("")}`,
  });
}

const search = (pool: string) => ({
  protocol: ["imap", "smtp"],
  cache_name: "mail",
  pool_name: pool,
  base_dn: "ou=people,dc=example,dc=test",
  filter: { user: "(uid=%L{user})", disabled: "(employeeType=disabled)" },
  mapping: { account_field: "mail", totp_secret_field: "carLicense" },
  attribute: ["cn", "displayName", "title", "roomNumber", "telephoneNumber", "l", "description"],
});

const pool = (port: number, secret = "slapd-root-password") => ({
  server_uri: [`ldap://127.0.0.1:${port}`],
  bind_dn: "cn=admin,dc=example,dc=test",
  bind_pw: secret,
  negative_cache_ttl: "0s",
});

/** `auth.backends.ldap` with the pools `old` and `new`, which remember nothing. */
export function twoPools(oldPort: number, newPort: number, newSecret?: string): Tree {
  return {
    pools: { old: pool(oldPort), new: pool(newPort, newSecret) },
    search: [search("old"), search("new")],
  };
}

/** The sign-in of a person. */
export const signInOf = (number: number, overrides: object = {}) => ({
  username: `p${number}`,
  password: `p${number}-password`,
  protocol: "imap",
  client_ip: "203.0.113.9",
  ...overrides,
});
