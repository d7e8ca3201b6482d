import { Secret } from "@postern/shared/platform/crypto";
import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BackendQuery } from "../../../services/auth-engine/src/backends/backend.ts";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const payload = "x)(uid=*))(|(uid=*\\2a";
/** slapd logs characters with a meaning in a filter as bytes in hexadecimal. */
const escaped = String.raw`x\29\28uid=\2A\29\29\28|\28uid=\2A\5C2a`;

/** A line of LDIF whose value may be any text. */
const line = (name: string, value: string): string => `${name}:: ${Buffer.from(value).toString("base64")}\n`;

describe("values from a request remain values in the directory (slapd's own log)", () => {
  let slapd: Slapd;
  let backend: LdapBackend;

  beforeAll(async () => {
    slapd = await spawnSlapd({ ldif: exampleLdif });
    backend = exampleDirectory(
      [slapd.uri],
      {},
      {
        protocols: ["imap", payload],
        // Each value alone, beside the name of an entry, would decide whether the entry is found.
        userFilter: `(|(uid=%{user})(cn=%{username})${[
          "sn=%{domain}",
          "mail=%{service}",
          "uid=%{remote_ip}",
          "uid=%{remote_port}",
          "uid=%{local_ip}",
          "uid=%{local_port}",
        ]
          .map((assertion) => `(&(displayName=%{user})(${assertion}))`)
          .join("")})`,
      },
    );
  });
  afterAll(async () => {
    await backend.close();
    await slapd[Symbol.asyncDispose]();
  });

  const plain: BackendQuery = { username: "Displayed alice", protocol: "imap" };

  it.each([
    ["username", "uid"],
    ["protocol", "mail"],
    ["clientIp", "uid"],
    ["clientPort", "uid"],
    ["localIp", "uid"],
    ["localPort", "uid"],
  ] as const)("%s", async (field, attribute) => {
    const before = slapd.output().length;
    const outcome = await backend.verify({ ...plain, [field]: payload }, new Secret("x"), within(3000));
    expect(outcome).toEqual({ kind: "unknown_user" });
    const log = (): string => slapd.output().slice(before);
    await poll("the search in slapd's log", () => log().includes("SRCH base="));
    expect(log().toLowerCase()).toContain(`(${attribute}=${escaped})`.toLowerCase());
    expect(log().match(/filter="\(\|/g)).toHaveLength(1);
  });

  it.each([
    String.raw`DOMAIN\user`,
    "a b@example.test",
    '"quoted"@example.test',
    "müller@example.test",
    "100% (work)",
    "%{user}",
    "a{b};c",
  ])("%j is found by its own name only", async (uid) => {
    const dn = `uid=${Buffer.from(uid).toString("hex").replaceAll(/../g, String.raw`\$&`)},ou=people,dc=example,dc=test`;
    await using odd = await spawnSlapd({
      ldif: `${exampleLdif}\n${line("dn", dn)}objectClass: inetOrgPerson\n${line("uid", uid)}cn: odd\nsn: odd\nuserPassword: odd-password\n`,
    });
    const people = exampleDirectory([odd.uri]);
    const verify = (username: string) =>
      people.verify({ username, protocol: "imap" }, new Secret("odd-password"), within(3000));
    expect(await verify(uid)).toMatchObject({ kind: "ok", account: { account: uid } });
    expect(await verify(`${uid}x`)).toMatchObject({ kind: "unknown_user" });
    await people.close();
  });

  it("the domain of a name, in filter and base", async () => {
    const perDomain = exampleDirectory([slapd.uri], {}, { baseDn: "ou=%{domain},dc=example,dc=test" });
    const before = slapd.output().length;
    const username = "alice@people,ou=people+cn=x";
    expect(await perDomain.lookup({ ...plain, username }, within(3000))).toEqual({ kind: "unknown_user" });
    await perDomain.close();
    await poll("the search in slapd's log", () => slapd.output().slice(before).includes("SRCH base="));
    expect(slapd.output().slice(before)).not.toMatch(/SRCH base="ou=people,/);
  });
});

describe("a server with a password policy", () => {
  it("reports a locked account and a wrong password differently, for Postern's log", async () => {
    const policyDn = "cn=policy,dc=example,dc=test";
    await using slapd = await spawnSlapd({
      globalConfig: "moduleload ppolicy\n",
      databaseConfig: `overlay ppolicy\nppolicy_default "${policyDn}"\nppolicy_use_lockout\n`,
      ldif: `${exampleLdif}
dn: ${policyDn}
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE
pwdMaxFailure: 2
`,
    });
    const backend = exampleDirectory([slapd.uri]);
    const verify = (password: string) =>
      backend.verify({ username: "bob", protocol: "imap" }, new Secret(password), within(3000));
    expect(await verify("bob-password")).toMatchObject({ kind: "ok" });
    expect(await verify("wrong")).toMatchObject({ kind: "wrong_password" });
    await expect
      .poll(() => verify("wrong-too"))
      .toMatchObject({ kind: "account_disabled", account: "bob", detail: "locked" });
    expect(await verify("bob-password")).toMatchObject({ kind: "account_disabled", account: "bob", detail: "locked" });
    await backend.close();
  });
});
