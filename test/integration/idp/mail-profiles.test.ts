import { execFile } from "node:child_process";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MailServices } from "@postern/shared/domain/mail-clients";
import { scratchFolder } from "@postern/shared/testing";
import { describe, expect, test } from "vitest";
import { appleProfile } from "../../../services/idp/src/mail-clients/apple-profile.ts";
import { readMailAddress } from "../../../services/idp/src/mail-clients/mail-address.ts";
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

/** As Python's plistlib reads it, which is independent of our writer. */
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
      const given = ["-in", "profile.der", "-inform", "DER", "-CAfile", "cert.pem", "-purpose", "any"];
      return (await run("openssl", ["cms", "-verify", "-binary", ...given], { cwd })).stdout;
    };
    expect(await verified(signed)).toBe(text);
    signed[signed.indexOf("imap.example.test")] = 0x78;
    await expect(verified(signed)).rejects.toThrow("Verification failure");
  });
});
