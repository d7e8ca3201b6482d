import { execFile } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MailServices } from "@postern/shared/domain/mail-clients";
import { loadConfig } from "@postern/shared/platform/config";
import { scratchFolder } from "@postern/testing";
import Fastify from "fastify";
import { describe, expect, test } from "vitest";
import { appleProfile, sendProfile } from "../../../services/idp/src/mail-clients/apple-profile.ts";
import { readMailAddress } from "../../../services/idp/src/mail-clients/mail-address.ts";
import { profileSigningKey } from "../../../services/idp/src/mail-clients/profile-signing-key.ts";
import { signProfile } from "../../../services/idp/src/mail-clients/sign-profile.ts";

const services: MailServices = {
  domain: "example.test",
  displayName: "Example Mail",
  shortName: "Example",
  userName: "address",
  imap: { host: "imap.example.test", port: 993, security: "tls" },
  pop3: undefined,
  smtp: { host: "smtp.example.test", port: 587, security: "starttls" },
  oauth: undefined,
};
const mail = readMailAddress("alice@example.test") ?? expect.fail();
const profile = { address: mail.address, name: "Alice & <Example>", password: "app-secret" };

const run = promisify(execFile);

const uuids = (text: string) => text.match(/[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-8[0-9A-F]{3}-[0-9A-F]{12}/g);

/** Python's plistlib reads the profile, because it is independent of our writer. */
async function readPlist(text: string): Promise<unknown> {
  await using folder = await scratchFolder();
  const file = join(folder.path, "profile.plist");
  writeFileSync(file, text);
  const script = "import plistlib,sys,json;print(json.dumps(plistlib.load(open(sys.argv[1],'rb'))))";
  return JSON.parse((await run("python3", ["-c", script, file])).stdout);
}

describe("an Apple profile", () => {
  test("is a property list with one mail account and the password once", async () => {
    const text = appleProfile(services, mail, profile);
    expect(await readPlist(text)).toMatchObject({
      PayloadType: "Configuration",
      PayloadContent: [
        {
          PayloadType: "com.apple.mail.managed",
          EmailAccountType: "EmailTypeIMAP",
          EmailAccountName: "Alice & <Example>",
          EmailAddress: "alice@example.test",
          IncomingMailServerHostName: "imap.example.test",
          IncomingMailServerPortNumber: 993,
          IncomingMailServerUseSSL: true,
          IncomingMailServerUsername: "alice@example.test",
          IncomingPassword: "app-secret",
          OutgoingMailServerHostName: "smtp.example.test",
          OutgoingMailServerPortNumber: 587,
          OutgoingPasswordSameAsIncomingPassword: true,
        },
      ],
    });
    expect(text.split("app-secret")).toHaveLength(2);
  });

  test("of the same account replaces the earlier one, of another account does not", () => {
    const first = uuids(appleProfile(services, mail, profile));
    expect(first).toHaveLength(2);
    expect(uuids(appleProfile(services, mail, { ...profile, password: "other" }))).toEqual(first);
    const bob = readMailAddress("bob@example.test") ?? expect.fail();
    expect(uuids(appleProfile(services, bob, profile))).not.toEqual(first);
  });

  test("without IMAP is a POP3 account", () => {
    const pop3 = { host: "pop.example.test", port: 995, security: "tls" } as const;
    expect(appleProfile({ ...services, imap: undefined, pop3 }, mail, profile)).toContain("EmailTypePOP");
  });
});

describe("a signed profile", () => {
  test.each([
    ["an RSA key", ["rsa:2048"]],
    ["a P-256 key", ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]],
  ])("with %s is verified by OpenSSL, which gives the profile back; a changed one is not", async (_name, kind) => {
    await using folder = await scratchFolder();
    const cwd = folder.path;
    const subject = ["-subj", "/CN=mail.example.test", "-days", "2"];
    await run(
      "openssl",
      ["req", "-x509", "-nodes", ...subject, "-newkey", ...kind, "-keyout", "key.pem", "-out", "cert.pem"],
      { cwd },
    );
    const key = createPrivateKey(readFileSync(join(cwd, "key.pem")));
    const certificates = [new X509Certificate(readFileSync(join(cwd, "cert.pem"))).raw];
    const text = appleProfile(services, mail, profile);
    const signed = Buffer.from(signProfile(text, { key, certificates }, new Date()));
    const verified = async (bytes: Uint8Array): Promise<string> => {
      writeFileSync(join(cwd, "profile.der"), bytes);
      const args = ["-in", "profile.der", "-inform", "DER", "-CAfile", "cert.pem", "-purpose", "any"];
      return (await run("openssl", ["cms", "-verify", "-binary", ...args], { cwd })).stdout;
    };
    expect(await verified(signed)).toBe(text);
    signed[signed.indexOf("imap.example.test")] = 0x78;
    await expect(verified(signed)).rejects.toThrow("Verification failure");
  });
});

/** Creates certificates and their keys in a folder: `NAME.crt` and `NAME.key`. */
async function createCertificates(cwd: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
    const files = ["-keyout", `${name}.key`, "-out", `${name}.crt`];
    await run("openssl", ["req", "-x509", "-nodes", "-subj", `/CN=${name}`, "-days", "2", ...kind, ...files], { cwd });
  }
}

function keyOf(profileKeys: object) {
  const text = JSON.stringify({ identity: { mail_clients: { profile: profileKeys } } });
  const loaded = loadConfig({ text, env: {}, readFile: (path) => readFileSync(path, "utf8") });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return profileSigningKey(loaded.config);
}

describe("the configured key", () => {
  test("signs the profiles that are sent, which no cache may keep", async () => {
    await using folder = await scratchFolder();
    const cwd = folder.path;
    await createCertificates(cwd, ["mail"]);
    const signingKey = keyOf({ cert_file: join(cwd, "mail.crt"), key: { file: join(cwd, "mail.key") } });
    await using app = Fastify();
    app.get("/", (_request, reply) => sendProfile(reply, { signingKey, nowMs: Date.now }, { services, mail, profile }));
    const { headers, rawPayload } = await app.inject("/");
    expect(headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/x-apple-aspen-config" });
    writeFileSync(join(cwd, "sent.der"), rawPayload);
    const args = ["-in", "sent.der", "-inform", "DER", "-CAfile", "mail.crt", "-purpose", "any"];
    const { stdout } = await run("openssl", ["cms", "-verify", "-binary", ...args], { cwd });
    expect(stdout).toBe(appleProfile(services, mail, profile));
  });

  test("must belong to the certificate; without a certificate profiles are not signed", async () => {
    await using folder = await scratchFolder();
    const cwd = folder.path;
    await createCertificates(cwd, ["mail", "other"]);
    const cert_file = join(cwd, "mail.crt");
    expect(() => keyOf({ cert_file, key: { file: join(cwd, "other.key") } })).toThrow("CONFIG_INVALID");
    expect(() => keyOf({ cert_file: join(cwd, "none.crt"), key: { file: join(cwd, "mail.key") } })).toThrow(
      "CONFIG_INVALID",
    );
    expect(keyOf({})).toBeUndefined();
  });
});
