import { Secret } from "@postern/shared/platform/crypto";
import { type Slapd, spawnSlapd } from "@postern/testing";
import { Client } from "ldapts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import type { MfaAccount } from "../../../services/auth-engine/src/backends/second-factor-store.ts";
import { exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const schema = `attributetype ( 1.3.6.1.4.1.99999.1.1 NAME 'totp' EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.2 NAME 'recovery' EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
attributetype ( 1.3.6.1.4.1.99999.1.3 NAME 'webauthn' EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
attributetype ( 1.3.6.1.4.1.99999.1.4 NAME 'appPassword' EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.3.6.1.4.1.99999.2.1 NAME 'totpUser' AUXILIARY MAY totp )
objectclass ( 1.3.6.1.4.1.99999.2.2 NAME 'factorUser' AUXILIARY MAY ( recovery $ webauthn $ appPassword ) )
`;

const place = (field: string, objectClass: string) => ({ field, objectClass });
const later = () => within(4000);

describe("second factors in an LDAP directory", () => {
  let slapd: Slapd;
  let administrator: Client;
  let replicas: readonly LdapBackend[];

  beforeAll(async () => {
    slapd = await spawnSlapd({ ldif: exampleLdif, globalConfig: schema });
    administrator = new Client({ url: slapd.uri, timeout: 2000, connectTimeout: 2000 });
    await administrator.bind(slapd.rootDn, slapd.rootPassword);
    replicas = [1, 2].map(() =>
      exampleDirectory(
        [slapd.uri],
        {
          bindDn: slapd.rootDn,
          bindPassword: new Secret(slapd.rootPassword),
          connectTimeoutMs: 2000,
          searchTimeoutMs: 2000,
          modifyTimeoutMs: 2000,
        },
        {
          disabledFilter: "(employeeType=disabled)",
          mfa: {
            totp: place("totp", "totpUser"),
            recoveryCodes: place("recovery", "factorUser"),
            webauthn: place("webauthn", "factorUser"),
            appPasswords: place("appPassword", "factorUser"),
            displayNameField: "displayName",
            uniqueUserIdField: "entryUUID",
          },
        },
      ),
    );
  });
  afterAll(async () => {
    await Promise.all(replicas.map((backend) => backend.close()));
    await administrator.unbind();
    await slapd[Symbol.asyncDispose]();
  });

  const find = async (username = "alice", replica = 0): Promise<MfaAccount> => {
    const found = await replicas[replica]?.mfa?.findAccount({ username }, later());
    if (found?.kind !== "ok") throw new Error(`no account: ${found?.kind}`);
    return found.account;
  };

  it("finds the account with its names, and reports unknown users", async () => {
    expect(await find()).toMatchObject({
      account: "alice",
      displayName: "Displayed alice",
      uniqueUserId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      supports: new Set(["totp", "recovery_codes", "webauthn", "app_passwords"]),
    });
    expect(await replicas[0]?.mfa?.findAccount({ username: "*" }, later())).toEqual({ kind: "unknown_user" });
    expect(await replicas[0]?.mfa?.findAccount({ username: "alice", protocol: "pop3" }, later())).toEqual({
      kind: "not_served",
    });
  });

  it("writes, replaces and deletes a TOTP secret; the object class is added with the first", async () => {
    const account = await find("bob");
    const read = async () => (await account.readFactors(later())).totpSecret;
    await account.replaceTotpSecret(undefined, later());
    await account.replaceTotpSecret("first", later());
    expect(await read()).toBe("first");
    await account.replaceTotpSecret("second", later());
    expect(await read()).toBe("second");
    await account.replaceTotpSecret(undefined, later());
    expect(await read()).toBeUndefined();
    await account.replaceTotpSecret(undefined, later());
  });

  it("lets one of forty simultaneous callers at two replicas redeem a recovery code", async () => {
    const accounts = [await find("alice", 0), await find("alice", 1)];
    await accounts[0]?.replaceRecoveryCodes(["code-a", "code-b"], later());
    const results: boolean[] = [];
    for (let round = 0; round < 3; round += 1) {
      const takers = accounts.flatMap((account) =>
        Array.from({ length: 7 }, () => account.removeRecoveryCode("code-a", later())),
      );
      results.push(...(await Promise.all(takers)));
    }
    expect(results.filter(Boolean)).toHaveLength(1);
    expect((await accounts[1]?.readFactors(later()))?.recoveryCodes).toEqual(["code-b"]);
  });

  it("compares a recovery code byte for byte, although the attribute ignores case", async () => {
    const account = await find();
    await account.replaceRecoveryCodes(["Code-C"], later());
    expect(await account.removeRecoveryCode("code-c", later())).toBe(false);
    expect(await account.removeRecoveryCode("Code-C", later())).toBe(true);
    await account.replaceRecoveryCodes([], later());
    expect((await account.readFactors(later())).recoveryCodes).toEqual([]);
  });

  it("adds, replaces and removes WebAuthn credentials by their exact text", async () => {
    const account = await find();
    const [old, renewed] = [
      '{"id":"QUI=","publicKey":"AQID","signCount":1}',
      '{"id":"QUI=","publicKey":"AQID","signCount":2}',
    ];
    await account.addWebauthnCredential(old, later());
    await account.addWebauthnCredential(old, later());
    const exchanged = await Promise.all(
      Array.from({ length: 8 }, () => account.replaceWebauthnCredential(old, renewed, later())),
    );
    expect(exchanged.filter(Boolean)).toHaveLength(1);
    expect((await account.readFactors(later())).webauthnCredentials).toEqual([renewed]);
    expect(await account.removeWebauthnCredential(old, later())).toBe(false);
    expect(await account.removeWebauthnCredential(renewed, later())).toBe(true);
  });

  it("stores app passwords with their last use, and ignores values of other products", async () => {
    const account = await find("bob");
    const stored = { id: "p1", digest: "d", label: "phone (x)*", protocols: ["imap"], createdAt: 1 };
    await account.addAppPassword(stored, later());
    const values = await administrator.search("uid=bob,ou=people,dc=example,dc=test", {
      scope: "base",
      attributes: ["appPassword"],
    });
    expect(values.searchEntries).toHaveLength(1);
    await account.touchAppPassword("p1", 99, later());
    expect(await account.listAppPasswords(later())).toEqual([{ ...stored, lastUsedAt: 99 }]);
    expect(await account.removeAppPassword("p2", later())).toBe(false);
    expect(await account.removeAppPassword("p1", later())).toBe(true);
    expect(await account.listAppPasswords(later())).toEqual([]);
  });

  it("removes an app password even while a sign-in at another replica records its use", async () => {
    const [owner, phone] = await Promise.all([find("bob", 0), find("bob", 1)]);
    for (let round = 1; round <= 40; round += 1) {
      const stored = { id: "p1", digest: "d", label: "phone", protocols: [], createdAt: 1 };
      await owner.addAppPassword(stored, later());
      const [wasThere] = await Promise.all([
        owner.removeAppPassword("p1", later()),
        phone.touchAppPassword("p1", round, later()),
      ]);
      expect([round, wasThere, await owner.listAppPasswords(later())]).toEqual([round, true, []]);
    }
  });

  it("reports within its time limit that it cannot decide while the server is frozen, and recovers", async () => {
    const account = await find();
    await account.replaceRecoveryCodes(["code-z"], later());
    await slapd.pause();
    const taken = account.removeRecoveryCode("code-z", within(300));
    await expect(taken).rejects.toMatchObject({ code: "DEADLINE_EXCEEDED" });
    slapd.resume();
    await expect
      .poll(
        () =>
          account.readFactors(later()).then(
            ({ recoveryCodes }) => recoveryCodes.length,
            () => -1,
          ),
        {
          timeout: 10_000,
        },
      )
      .toBeGreaterThanOrEqual(0);
  });
});
