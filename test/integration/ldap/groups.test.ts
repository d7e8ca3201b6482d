import { Secret } from "@postern/shared/platform/crypto";
import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { Attribute, Change, Client } from "ldapts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import type {
  LdapGroupSettings,
  LdapPoolSettings,
  LdapSearchSettings,
} from "../../../services/auth-engine/src/backends/ldap/ldap-settings.ts";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const alice = "uid=alice,ou=people,dc=example,dc=test";
const group = (name: string, ...members: string[]): string =>
  `dn: cn=${name},ou=groups,dc=example,dc=test
objectClass: groupOfNames
cn: ${name}
${members.map((member) => `member: ${member}`).join("\n")}

`;
const groupDn = (name: string): string => `cn=${name},ou=groups,dc=example,dc=test`;

/** staff ⊂ employees ⊂ everybody ⊂ staff: a cycle; `seeAlso` stands for memberOf. */
const ldif = `${exampleLdif}
dn: ou=groups,dc=example,dc=test
objectClass: organizationalUnit
ou: groups

${group("staff", alice, groupDn("everybody"))}${group("employees", groupDn("staff"))}${group("everybody", groupDn("employees"))}${group(
  "paren (x) *",
  alice,
)}dn: uid=carol,ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: carol
cn: carol
sn: carol
employeeType: disabled
seeAlso: ${groupDn("staff")}
seeAlso: cn=gone,ou=groups,dc=example,dc=test
userPassword: carol-password
`;

const search: LdapGroupSettings = {
  strategy: "search",
  attribute: "seeAlso",
  baseDn: "ou=groups,dc=example,dc=test",
  scope: "one",
  filter: "(member=%{user_dn})",
  nameAttribute: "cn",
  recursive: false,
  maxDepth: 8,
};

const groupsOf = async (backend: LdapBackend, user = "alice"): Promise<readonly string[] | undefined> => {
  const outcome = await backend.verify(ask(user), new Secret(`${user}-password`), within(4000));
  return outcome.kind === "ok" ? outcome.account.groups?.toSorted() : undefined;
};

describe("an LDAP directory with groups", () => {
  let slapd: Slapd;
  let administrator: Client;
  const open: LdapBackend[] = [];

  beforeAll(async () => {
    slapd = await spawnSlapd({ ldif });
    administrator = new Client({ url: slapd.uri, timeout: 2000, connectTimeout: 2000 });
    await administrator.bind(slapd.rootDn, slapd.rootPassword);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((backend) => backend.close()));
  });
  afterAll(async () => {
    await administrator.unbind();
    await slapd[Symbol.asyncDispose]();
  });

  const use = (options: Partial<LdapSearchSettings>, pool: Partial<LdapPoolSettings> = {}): LdapBackend => {
    const backend = exampleDirectory([slapd.uri], { searchTimeoutMs: 2000, ...pool }, options);
    open.push(backend);
    return backend;
  };
  /** Searches in slapd's log since `before`. */
  const searchesSince = (before: number): number =>
    slapd
      .output()
      .slice(before)
      .match(/ SRCH base="/g)?.length ?? 0;
  const change = (dn: string, operation: "add" | "delete", type: string, value: string): Promise<void> =>
    administrator.modify(dn, new Change({ operation, modification: new Attribute({ type, values: [value] }) }));

  it("returns no groups if none are configured", async () => {
    expect(await groupsOf(use({}))).toBeUndefined();
  });

  it("searches for groups with the user as a member, even for a name with filter syntax", async () => {
    expect(await groupsOf(use({ groups: search }))).toEqual(["paren (x) *", "staff"]);
    const byName = { ...search, filter: "(&(cn=%{user})(member=%{user_dn}))" };
    await change(alice, "add", "description", "*");
    const backend = use({ groups: byName, userFilter: "(|(uid=%{username})(description=%{user}))" });
    const outcome = await backend.lookup(ask("*"), within(4000));
    expect(outcome).toMatchObject({ kind: "ok", account: { account: "alice", groups: [] } });
  });

  it.each([
    [1, ["paren (x) *", "staff"]],
    [2, ["employees", "paren (x) *", "staff"]],
    [8, ["employees", "everybody", "paren (x) *", "staff"]],
  ])(
    "follows groups in groups to a depth of %i, through cycles and names with special characters",
    async (maxDepth, expected) => {
      expect(await groupsOf(use({ groups: { ...search, recursive: true, maxDepth } }))).toEqual(expected);
    },
  );

  it("reads an attribute of the user's entry without a search for groups, and keeps a deleted group", async () => {
    const backend = use({ groups: { ...search, strategy: "member_of" } });
    await groupsOf(backend, "carol");
    const before = slapd.output().length;
    expect(await groupsOf(backend, "carol")).toEqual(["gone", "staff"]);
    await poll("the search in slapd's log", () => searchesSince(before) > 0);
    expect(slapd.output().slice(before)).not.toMatch(/SRCH base="cn=/);
  });

  it("does both, and releases the names if configured", async () => {
    const backend = use({ groups: { ...search, strategy: "hybrid", recursive: true, releaseAs: "memberships" } });
    expect(await groupsOf(backend, "carol")).toEqual(["employees", "everybody", "gone", "staff"]);
    const { account } = Object.assign({ account: undefined }, await backend.lookup(ask("alice"), within(3000)));
    expect(account).toMatchObject({ attributes: { memberships: expect.arrayContaining(["everybody"]) } });
  });

  it("cannot decide when the search for groups fails", async () => {
    const backend = use({ groups: { ...search, baseDn: "ou=nowhere,dc=example,dc=test" } });
    await expect(groupsOf(backend)).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  });

  it("caches memberships until the account is flushed", async () => {
    const caches = { negativeTtlMs: 0, dnTtlMs: 0, membershipTtlMs: 60_000, maxEntries: 10, evict: "ttl" } as const;
    const backend = use({ groups: search }, { caches });
    expect(await groupsOf(backend)).toEqual(["paren (x) *", "staff"]);
    await change(groupDn("employees"), "add", "member", alice);
    expect(await groupsOf(backend)).toEqual(["paren (x) *", "staff"]);
    backend.forget?.("ALICE");
    expect(await groupsOf(backend)).toEqual(["employees", "paren (x) *", "staff"]);
    await change(groupDn("employees"), "delete", "member", alice);
  });

  it("caches that a user is unknown until the name is flushed, and never an unavailable server", async () => {
    const caches = { negativeTtlMs: 60_000, dnTtlMs: 0, membershipTtlMs: 0, maxEntries: 10, evict: "lru" } as const;
    const backend = use({}, { caches });
    const lookup = (name: string) => backend.lookup(ask(name), within(3000));
    expect(await lookup("dave")).toEqual({ kind: "unknown_user" });
    const entry = { objectClass: "inetOrgPerson", uid: "dave", cn: "dave", sn: "dave" };
    await administrator.add("uid=dave,ou=people,dc=example,dc=test", entry);
    expect(await lookup("dave")).toEqual({ kind: "unknown_user" });
    backend.forget?.("dave");
    expect(await lookup("dave")).toMatchObject({ kind: "ok" });
    await administrator.del("uid=dave,ou=people,dc=example,dc=test");
  });

  it("caches an entry's DN, searches again when the bind is rejected there, and binds only once under one DN", async () => {
    const caches = { negativeTtlMs: 0, dnTtlMs: 60_000, membershipTtlMs: 0, maxEntries: 10, evict: "ttl" } as const;
    const backend = use({}, { caches });
    await administrator.add("uid=erin,ou=people,dc=example,dc=test", {
      objectClass: "inetOrgPerson",
      uid: "erin",
      cn: "erin",
      sn: "erin",
      userPassword: "erin-password",
    });
    const verify = async (password: string) =>
      (await backend.verify(ask("erin"), new Secret(password), within(3000))).kind;
    expect(await verify("erin-password")).toBe("ok");
    await administrator.modifyDN("uid=erin,ou=people,dc=example,dc=test", "cn=Erin Moved");
    await administrator.modify(
      "cn=Erin Moved,ou=people,dc=example,dc=test",
      new Change({ operation: "add", modification: new Attribute({ type: "uid", values: ["erin"] }) }),
    );
    expect(await verify("erin-password")).toBe("ok");
    const before = slapd.output().length;
    expect(await verify("wrong")).toBe("wrong_password");
    await poll("the rejected bind in slapd's log", () => /tag=97 err=49/.test(slapd.output().slice(before)));
    expect(
      slapd
        .output()
        .slice(before)
        .match(/tag=97 err=49/g),
    ).toHaveLength(1);
    await administrator.del("cn=Erin Moved,ou=people,dc=example,dc=test");
  });

  it("treats accounts that match the disabled filter as disabled: no password is right, and look-ups find no user", async () => {
    const backend = use({ disabledFilter: "(employeeType=disabled)" });
    expect(await backend.verify(ask("carol"), new Secret("carol-password"), within(3000))).toEqual({
      kind: "account_disabled",
      detail: "disabled",
    });
    expect(await backend.verify(ask("carol"), new Secret("wrong"), within(3000))).toMatchObject({
      kind: "wrong_password",
    });
    expect(await backend.lookup(ask("carol"), within(3000))).toEqual({ kind: "unknown_user", isDisabled: true });
    expect(await backend.lookup(ask("alice"), within(3000))).toMatchObject({ kind: "ok" });
  });

  it("verifies no password in a pool for look-ups only, and sheds binds above the pool's rate", async () => {
    const lookups = use({}, { lookupPoolOnly: true });
    expect(await lookups.verify(ask("alice"), new Secret("alice-password"), within(3000))).toEqual({
      kind: "not_served",
    });
    const limited = use({}, { bindRate: { perSecond: 0.01, burst: 1 } });
    expect(await limited.verify(ask("alice"), new Secret("alice-password"), within(3000))).toMatchObject({
      kind: "ok",
    });
    await expect(limited.verify(ask("alice"), new Secret("alice-password"), within(3000))).rejects.toMatchObject({
      code: "DIRECTORY_OVERLOADED",
    });
  });
});
