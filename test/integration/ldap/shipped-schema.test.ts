import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Secret } from "@postern/shared/platform/crypto";
import { scratchFolder, spawnSlapd } from "@postern/testing";
import { expect, test } from "vitest";
import { repository } from "../interop/nginx-setting.ts";
import { exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const shipped = join(repository, "deploy/ldap");
const place = (field: string) => ({ field, objectClass: "posternAccount" });
const later = () => within(60_000);

test("with postern.schema, OpenLDAP stores all kinds of second factors and app passwords", async () => {
  await using slapd = await spawnSlapd({
    ldif: exampleLdif,
    globalConfig: `include "${join(shipped, "postern.schema")}"\n`,
  });
  const account = { bindDn: slapd.rootDn, bindPassword: new Secret(slapd.rootPassword) };
  const limits = { connectTimeoutMs: 60_000, searchTimeoutMs: 60_000, modifyTimeoutMs: 60_000 };
  const backend = exampleDirectory(
    [slapd.uri],
    { ...account, ...limits },
    {
      mfa: {
        totp: place("posternTotpSecret"),
        recoveryCodes: place("posternRecoveryCode"),
        webauthn: place("posternPasskey"),
        appPasswords: place("posternAppPassword"),
        displayNameField: "displayName",
        uniqueUserIdField: "entryUUID",
      },
    },
  );
  try {
    const found = await backend.mfa?.findAccount({ username: "alice" }, later());
    if (found?.kind !== "ok") throw new Error(`no account: ${found?.kind}`);
    const alice = found.account;
    const credential = '{"id":"QUI=","signCount":1}';
    await alice.replaceTotpSecret("JBSWY3DPEHPK3PXP", later());
    await alice.replaceRecoveryCodes(["code-a", "code-b"], later());
    await alice.addWebauthnCredential(credential, later());
    await alice.addAppPassword({ id: "p", digest: "d", label: "phone", protocols: ["imap"], createdAt: 1 }, later());
    expect(await alice.removeRecoveryCode("code-a", later())).toBe(true);
    expect(await alice.readFactors(later())).toMatchObject({
      totpSecret: "JBSWY3DPEHPK3PXP",
      recoveryCodes: ["code-b"],
      webauthnCredentials: [credential],
    });
    expect(await alice.listAppPasswords(later())).toHaveLength(1);
  } finally {
    await backend.close();
  }
});

test("OpenLDAP loads postern.ldif into cn=config", async () => {
  await using folder = await scratchFolder();
  const config = [
    "dn: cn=config\nobjectClass: olcGlobal\ncn: config\n",
    "dn: cn=schema,cn=config\nobjectClass: olcSchemaConfig\ncn: schema\n",
    await readFile("/etc/ldap/schema/core.ldif", "utf8"),
    await readFile(join(shipped, "postern.ldif"), "utf8"),
  ];
  const [file, target] = [join(folder.path, "config.ldif"), join(folder.path, "slapd.d")];
  await writeFile(file, config.join("\n"));
  await mkdir(target);
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
  await promisify(execFile)("slapadd", ["-n", "0", "-F", target, "-l", file], { env });
  const schema = await readFile(join(target, "cn=config/cn=schema/cn={1}postern.ldif"), "utf8");
  expect(schema.replaceAll("\n ", "")).toContain("NAME 'posternAccount'");
});

/** OID, name and rules of each definition, whatever surrounds them. */
function definitionsIn(text: string): readonly string[] {
  const bare = text.replaceAll(/^#.*$| X-ORIGIN '\w+'/gmu, "").replaceAll(/\s+/gu, " ");
  const [, ...definitions] = bare.split("( 2.25.");
  return definitions.map((definition) => definition.replace(/\) *[A-Za-z]*:? *$/u, "").trim());
}

test("the files for both forms of OpenLDAP and for 389 Directory Server have the same definitions", async () => {
  const [first, ...others] = await Promise.all(
    ["postern.schema", "postern.ldif", "99postern.ldif"].map((name) => readFile(join(shipped, name), "utf8")),
  );
  expect(definitionsIn(first ?? "")).toHaveLength(5);
  for (const other of others) expect(definitionsIn(other)).toEqual(definitionsIn(first ?? ""));
});
