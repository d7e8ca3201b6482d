import { Secret } from "@postern/shared/platform/crypto";
import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const grete = `dn: uid=grete,ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: grete
cn: grete
sn: grete
userPassword:: ${Buffer.from("pässwörd").toString("base64")}
`;

describe("an LDAP directory", () => {
  let slapd: Slapd;
  let backend: LdapBackend;

  beforeAll(async () => {
    slapd = await spawnSlapd({ ldif: `${exampleLdif}\n${grete}` });
    backend = exampleDirectory([slapd.uri]);
  });
  afterAll(async () => {
    await backend.close();
    await slapd[Symbol.asyncDispose]();
  });

  const verify = (username: string, password: string, protocol?: string) =>
    backend.verify(ask(username, protocol), new Secret(password), within(3000));

  it("accepts a user and maps only configured attributes, several values as lists, without binary ones", async () => {
    expect(await verify("alice", "alice-password")).toEqual({
      kind: "ok",
      account: {
        account: "alice",
        // entryUUID, which slapd generates, is requested as the identifier but not released.
        uniqueUserId: expect.stringMatching(/^[\da-f-]{36}$/),
        displayName: "Displayed alice",
        accountField: "uid",
        totpSecretField: "description",
        attributes: {
          mail: ["alice@example.test", "a.liddell@example.test", "shared@example.test"],
          displayname: ["Displayed alice"],
          dn: ["uid=alice,ou=people,dc=example,dc=test"],
        },
      },
    });
  });

  it("finds users by every branch of the filter and by lower-cased macros", async () => {
    expect(await verify("ALICE", "alice-password")).toMatchObject({ kind: "ok", account: { account: "alice" } });
    expect(await verify("bob@example.test", "bob-password")).toMatchObject({ kind: "ok", account: { account: "bob" } });
  });

  it("distinguishes a wrong password from an unknown user", async () => {
    expect(await verify("alice", "wrong")).toMatchObject({ kind: "wrong_password" });
    expect(await verify("nobody", "alice-password")).toEqual({ kind: "unknown_user" });
  });

  it("sends one bind, with a decomposed password as it was sent or composed, as the pool states", async () => {
    const composing = exampleDirectory([slapd.uri], { composesPasswords: true });
    try {
      const decomposed = new Secret("pässwörd".normalize("NFD"));
      const binds = () => slapd.output().split('BIND dn="uid=grete').length;
      const before = binds();
      expect(await backend.verify(ask("grete"), decomposed, within(60_000))).toMatchObject({ kind: "wrong_password" });
      expect(await composing.verify(ask("grete"), decomposed, within(60_000))).toMatchObject({ kind: "ok" });
      await poll("both binds in the log", () => Promise.resolve(binds() >= before + 2));
    } finally {
      await composing.close();
    }
  });

  it("reuses a connection after a rejected bind", async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await verify("alice", "wrong")).toMatchObject({ kind: "wrong_password" });
      expect(await verify("bob", "bob-password")).toMatchObject({ kind: "ok" });
    }
  });

  it("does not serve a protocol that no search names", async () => {
    expect(await verify("alice", "alice-password", "IMAP")).toEqual({ kind: "not_served" });
    expect(await backend.lookup(ask("alice", "pop3"), within(3000))).toEqual({ kind: "not_served" });
  });

  it("looks a user up without a password", async () => {
    expect(await backend.lookup(ask("bob"), within(3000))).toMatchObject({
      kind: "ok",
      account: { account: "bob", attributes: { displayname: ["Displayed bob"] } },
    });
    expect(await backend.lookup(ask("nobody"), within(3000))).toEqual({ kind: "unknown_user" });
  });

  it("reports a failure if two entries match", async () => {
    await expect(verify("shared@example.test", "bob-password")).rejects.toMatchObject({ code: "DIRECTORY_AMBIGUOUS" });
  });

  it("reports a failure if the entry has no account name, but only after the password was right", async () => {
    await expect(verify("Nameless, Person", "nameless-password")).rejects.toMatchObject({ code: "DIRECTORY_DATA" });
    expect(await verify("Nameless, Person", "wrong")).toMatchObject({ kind: "wrong_password" });
  });

  it.each(["*", "a*", "alice)(uid=*", "*)(|(uid=*", String.raw`alice\2a`, "alice\0", "\\", "(", ")", "ali*e"])(
    "treats %j as a name, not as a filter",
    async (username) => {
      expect(await verify(username, "alice-password")).toEqual({ kind: "unknown_user" });
    },
  );

  it("never binds with an empty password", async () => {
    await expect(verify("alice", "")).rejects.toMatchObject({ code: "INTERNAL" });
  });

  it("binds for an unknown user too, under a name that cannot exist", async () => {
    const before = slapd.output().length;
    await backend.spendVerification(ask("nobody"), new Secret("x"), within(3000));
    const pattern = /conn=(\d+) op=\d+ BIND dn="cn=[0-9a-f-]{36},ou=people,dc=example,dc=test" method=128/;
    const log = (): string => slapd.output().slice(before);
    const [, connection] = await poll("the bind in slapd's log", () => pattern.exec(log()) ?? undefined);
    // The pool of the service account may open a connection of its own at the same time.
    expect(log()).not.toMatch(new RegExp(`conn=${connection} op=\\d+ BIND dn="cn=reader`, "u"));
  });

  it("answers its health check", async () => {
    await expect(backend.check(within(3000))).resolves.toBeUndefined();
  });

  it("never opens more connections than its pools allow", async () => {
    const work = Array.from({ length: 400 }, (_, index) =>
      verify(index % 2 === 0 ? "alice" : "bob", index % 2 === 0 ? "alice-password" : "bob-password"),
    );
    const outcomes = await Promise.all(work);
    expect(outcomes.every(({ kind }) => kind === "ok")).toBe(true);
    const { lookup, bind } = backend.snapshot()["default"] ?? {};
    expect(lookup).toMatchObject({ inFlight: 0, waiting: 0, opening: 0 });
    expect(bind).toMatchObject({ connections: 4, inFlight: 0, waiting: 0, opening: 0 });
    expect(lookup?.connections).toBeLessThanOrEqual(2);
    // 2 for look-ups, 4 for binds, and at most one for the health check.
    expect(highestOpenCount(slapd.output())).toBeLessThanOrEqual(7);
  });
});

/** Reads the highest number of simultaneous connections from slapd's log. The first connection is that of the readiness test. */
function highestOpenCount(log: string): number {
  const open = new Set<string>();
  let highest = 0;
  for (const [, id = "", event = ""] of log.matchAll(/conn=(\d+) fd=\d+ (ACCEPT|closed)/g)) {
    if (event === "ACCEPT") open.add(id);
    else open.delete(id);
    highest = Math.max(highest, open.size);
  }
  return highest;
}
