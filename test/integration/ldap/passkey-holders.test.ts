import { createWorkGate } from "@postern/shared/domain/passwords";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { systemClock } from "@postern/shared/platform/time";
import { type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forEveryName } from "../../../services/auth-engine/src/backends/backends-by-name.ts";
import { createLdapBackend, type LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { createSecondFactors } from "../../../services/auth-engine/src/second-factors/second-factors.ts";
import { exampleLdif, examplePool, exampleSearch, silentLog, within } from "./example-directory.ts";

const schema = `attributetype ( 1.3.6.1.4.1.99999.1.3 NAME 'webauthn' EQUALITY caseExactMatch SUBSTR caseExactSubstringsMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.3.6.1.4.1.99999.2.2 NAME 'factorUser' AUXILIARY MAY webauthn )
`;

const taken = { outcome: "invalid", detail: "another account holds this credential" };
const credentialOf = (id: string): string => JSON.stringify({ id, publicKey: "AQID" });
const later = () => within(4000);
const target = (username: string, protocol: string) => ({ session: "7d3f", username, protocol });

describe.each([
  ["one pool", "default"],
  ["a pool for each", "pages"],
])("passkeys where two searches name an entry differently, %s", (_how, poolOfPages) => {
  let slapd: Slapd;
  let backends: readonly LdapBackend[];

  beforeAll(async () => {
    slapd = await spawnSlapd({ ldif: exampleLdif, globalConfig: schema });
    const pool = examplePool([slapd.uri], {
      bindDn: slapd.rootDn,
      bindPassword: new Secret(slapd.rootPassword),
      connectTimeoutMs: 2000,
      searchTimeoutMs: 2000,
      modifyTimeoutMs: 2000,
    });
    const mfa = { ...exampleSearch.mfa, webauthn: { field: "webauthn", objectClass: "factorUser" } };
    const searches = [
      { ...exampleSearch, mfa, protocols: ["imap"], accountField: "mail" },
      { ...exampleSearch, mfa, protocols: ["idp"], accountField: "uid", poolName: poolOfPages },
    ];
    // The order of backends: `ldap`, or `ldap(default)` and `ldap(pages)`.
    backends = [...new Set(["default", poolOfPages])].map((name) =>
      createLdapBackend(
        { name, pools: { [name]: pool }, searches: searches.filter(({ poolName }) => poolName === name) },
        { clock: systemClock, log: silentLog },
      ),
    );
  });
  afterAll(async () => {
    await Promise.all(backends.map((backend) => backend.close()));
    await slapd[Symbol.asyncDispose]();
  });

  const factors = () =>
    createSecondFactors(
      forEveryName(backends),
      createKeyRing([new Secret("a-secret-of-the-ring")], "mfa-artefact"),
      createWorkGate(1, 16),
    );

  it.each(["imap", "idp"])(
    "a passkey enrolled by the search for %s is kept, and no other account can add it",
    async (protocol) => {
      const credential = JSON.stringify({
        id: Buffer.from(`\xfb\xff of ${protocol}`, "latin1").toString("base64url"),
        publicKey: "AQID",
      });
      const { saveWebauthn, listWebauthn } = factors();
      expect(await saveWebauthn({ ...target("alice", protocol), credential }, later())).toEqual({ outcome: "ok" });
      for (const other of ["imap", "idp"]) {
        expect(await listWebauthn(target("alice", other), later())).toMatchObject({
          credentials: expect.arrayContaining([credential]),
        });
        expect(await saveWebauthn({ ...target("bob", other), credential }, later())).toEqual(taken);
      }
      const inBase64 = credential.replaceAll("-", "+").replaceAll("_", "/");
      expect(inBase64).not.toBe(credential);
      expect(await saveWebauthn({ ...target("bob", protocol), credential: inBase64 }, later())).toEqual(taken);
    },
  );

  it("a credential may replace another of the same account, never one of another account", async () => {
    const [first, second, ofBob] = [credentialOf("first"), credentialOf("second"), credentialOf("bob")];
    const { saveWebauthn, updateWebauthn } = factors();
    const alice = target("alice", "idp");
    expect(await saveWebauthn({ ...alice, credential: first }, later())).toEqual({ outcome: "ok" });
    expect(await saveWebauthn({ ...target("bob", "imap"), credential: ofBob }, later())).toEqual({ outcome: "ok" });
    const update = (oldCredential: string, credential: string) =>
      updateWebauthn({ ...alice, oldCredential, credential }, later());
    expect(await update(first, ofBob)).toEqual(taken);
    expect(await update(first, second)).toEqual({ outcome: "ok" });
  });

  it("a sign-in finds the account that holds the passkey, whatever its handle names", async () => {
    const id = Buffer.from(`\xfb\xff of the sign-in`, "latin1").toString("base64url");
    const { saveWebauthn, readFactors, deleteWebauthn } = factors();
    const credential = JSON.stringify({ id: id.replaceAll("-", "+").replaceAll("_", "/"), publicKey: "AQID" });
    const stored = { ...target("alice", "idp"), credential };
    expect(await saveWebauthn(stored, later())).toEqual({ outcome: "ok" });
    const find = (username: string, credentialId: string) =>
      readFactors({ session: "7d3f", username, credentialId }, later());
    for (const name of ["alice", "bob", "nobody", "(*)", "c2VjcmV0"]) {
      expect(await find(name, id)).toMatchObject({ outcome: "ok", account: "alice@example.test" });
      expect(await find(name, "AQID")).toEqual({ outcome: "unknown_user" });
    }
    expect(await deleteWebauthn(stored, later())).toEqual({ outcome: "ok" });
    expect(await find("alice", id)).toEqual({ outcome: "unknown_user" });
  });

  it("a sign-in is undecided while the server is unavailable, not denied", async () => {
    await slapd.pause();
    const found = factors().readFactors({ session: "7d3f", username: "alice", credentialId: "AQID" }, later());
    await expect(found).rejects.toMatchObject({ row: { kind: "unavailable" } });
    slapd.resume();
  });
});
