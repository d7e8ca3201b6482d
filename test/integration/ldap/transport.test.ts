import { execFile } from "node:child_process";
import { chmod, copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { Secret } from "@postern/shared/platform/crypto";
import { freePort, poll, type Slapd, scratchFolder, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LdapPoolSettings } from "../../../services/auth-engine/src/backends/ldap/ldap-settings.ts";
import { makeSignedCertificate } from "../../support/certificates.ts";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const run = promisify(execFile);

/** A temporary authority and a server certificate for `localhost` only. */
async function makeCertificates(folder: string): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: folder });
  await writeFile(join(folder, "san"), "subjectAltName=DNS:localhost\n");
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  await openssl("req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test authority");
  await openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost");
  await openssl(
    ..."x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile san -out server.pem".split(" "),
  );
  await chmod(join(folder, "server.key"), 0o600);
}

async function login(uri: string, pool: Partial<LdapPoolSettings>): Promise<string> {
  const backend = exampleDirectory([uri], { connectTimeoutMs: 2000, searchTimeoutMs: 2000, ...pool });
  try {
    return await backend
      .verify(ask("alice"), new Secret("alice-password"), within(4000))
      .then(({ kind }) => kind, String);
  } finally {
    await backend.close();
  }
}

describe("an LDAP directory connects to its server", () => {
  const stack = new AsyncDisposableStack();
  let slapd: Slapd;
  let folder: string;
  let caCertFile: string;
  let tlsPort: number;
  let socketUri: string;

  beforeAll(async () => {
    const { path } = stack.use(await scratchFolder());
    folder = path;
    await makeCertificates(path);
    // In the file names of makeSignedCertificate.
    await copyFile(join(path, "ca.pem"), join(path, "ca.crt"));
    caCertFile = join(path, "ca.pem");
    tlsPort = await freePort();
    socketUri = `ldapi://${encodeURIComponent(join(path, "slapd.socket"))}`;
    slapd = stack.use(
      await spawnSlapd({
        ldif: exampleLdif,
        extraUrls: [`ldaps://127.0.0.1:${tlsPort}`, socketUri],
        globalConfig: `TLSCACertificateFile ${caCertFile}
TLSCertificateFile ${join(path, "server.pem")}
TLSCertificateKeyFile ${join(path, "server.key")}
TLSVerifyClient allow
authz-regexp "cn=mail gate" "cn=reader,dc=example,dc=test"
`,
      }),
    );
  });
  afterAll(() => stack.disposeAsync());

  it("by ldaps with the site's authority", async () => {
    expect(await login(`ldaps://localhost:${tlsPort}`, { tls: { caCertFile, skipVerify: false } })).toBe("ok");
  });

  it("by StartTLS, and sends nothing before it", async () => {
    const before = slapd.output().length;
    expect(
      await login(`ldap://localhost:${slapd.port}`, { startTls: true, tls: { caCertFile, skipVerify: false } }),
    ).toBe("ok");
    const log = (): string => slapd.output().slice(before);
    await poll("the user's bind in slapd's log", () => /BIND dn="uid=alice.* ssf=/.test(log()));
    expect(log()).toMatch(/TLS established/);
    expect(log()).not.toMatch(/BIND .* ssf=0$/m);
  });

  it.each([
    ["an unknown authority", { skipVerify: false }, "localhost"],
    ["a name that is not in the certificate", undefined, "127.0.0.1"],
  ])("never with %s", async (_, tls, host) => {
    const settings = { tls: tls ?? { caCertFile, skipVerify: false } };
    expect(await login(`ldaps://${host}:${tlsPort}`, settings)).toMatch(/DIRECTORY_UNAVAILABLE/);
    expect(await login(`ldap://${host}:${slapd.port}`, { ...settings, startTls: true })).toMatch(
      /DIRECTORY_UNAVAILABLE/,
    );
  });

  it("with such a certificate if verification is disabled", async () => {
    expect(await login(`ldaps://127.0.0.1:${tlsPort}`, { tls: { skipVerify: true } })).toBe("ok");
  });

  it("by a Unix socket, with the identity of the process", async () => {
    expect(await login(socketUri, {})).toBe("ok");
    const before = slapd.output().length;
    expect(await login(socketUri, { saslExternal: true, bindDn: "" })).toBe("ok");
    await poll("EXTERNAL in slapd's log", () => /mech=EXTERNAL/.test(slapd.output().slice(before)));
  });

  it("by SASL EXTERNAL with the name in its client certificate", async () => {
    const name = { name: "client", subject: "/CN=mail gate", issuer: "ca" };
    await makeSignedCertificate(folder, name);
    const tls = {
      caCertFile,
      certFile: join(folder, "client.crt"),
      keyFile: join(folder, "client.key"),
      skipVerify: false,
    };
    for (const [uri, startTls] of [
      [`ldaps://localhost:${tlsPort}`, false],
      [`ldap://localhost:${slapd.port}`, true],
    ] as const) {
      const before = slapd.output().length;
      expect(await login(uri, { startTls, saslExternal: true, bindDn: "", tls })).toBe("ok");
      await poll("EXTERNAL in slapd's log", () =>
        /BIND dn="cn=reader,dc=example,dc=test" mech=EXTERNAL/.test(slapd.output().slice(before)),
      );
    }
  });

  it("anonymously if no service account is configured", async () => {
    expect(await login(slapd.uri, { bindDn: "", bindPassword: new Secret("") })).toBe("ok");
  });

  it("not at all if StartTLS is configured and rejected", async () => {
    await using plain = await spawnSlapd({ ldif: exampleLdif });
    const settings = { startTls: true, tls: { skipVerify: true } };
    expect(await login(plain.uri, settings)).toMatch(/DIRECTORY_UNAVAILABLE.*StartTLS refused/);
    await poll("the request in slapd's log", () => plain.output().includes("tag=120"));
    expect(plain.output()).not.toMatch(/BIND/);
  });
});
