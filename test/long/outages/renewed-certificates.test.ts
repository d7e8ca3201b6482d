import { execFile } from "node:child_process";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort, type NatsServer, poll, scratchFolder, spawnNats, spawnRedis, spawnSlapd } from "@postern/testing";
import { expect, test } from "vitest";
import { exampleLdif } from "../../integration/ldap/example-directory.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { basicAuth, startStack } from "../../support/stack.ts";

const run = promisify(execFile);

/** An authority, and a certificate of it for 127.0.0.1: `ca.pem`, `server.pem`, `server.key` in the folder. */
async function makeAuthority(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "san"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
  const openssl = (line: string) => run("openssl", line.split(" "), { cwd: folder });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  await openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -subj /CN=authority`);
  await openssl(`req ${key} -keyout server.key -out server.csr -subj /CN=localhost`);
  await openssl("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile san -out server.pem");
}

test("LDAP, NATS and Redis get certificates of another authority: services use it after a reload, without a restart", async () => {
  await using folder = await scratchFolder();
  const [earlier, later, used] = ["earlier", "later", "used"].map((name) => join(folder.path, name));
  if (earlier === undefined || later === undefined || used === undefined) throw new Error("no folder");
  await makeAuthority(earlier);
  await makeAuthority(later);
  await mkdir(used);
  const use = async (from: string): Promise<void> => {
    for (const name of ["ca.pem", "server.pem", "server.key"]) await copyFile(join(from, name), join(used, name));
  };
  await use(earlier);
  const file = (name: string): string => join(used, name);

  await using servers = new AsyncDisposableStack();
  const ldapsPort = await freePort();
  const slapd = servers.use(
    await spawnSlapd({
      ldif: exampleLdif,
      extraUrls: [`ldaps://127.0.0.1:${ldapsPort}`],
      globalConfig: `TLSCACertificateFile ${file("ca.pem")}\nTLSCertificateFile ${file("server.pem")}\nTLSCertificateKeyFile ${file("server.key")}\n`,
    }),
  );
  const [natsPort, redisPort] = [await freePort(), await freePort()];
  const startNats = (): Promise<NatsServer> =>
    spawnNats({
      port: natsPort,
      config: `tls { cert_file: "${file("server.pem")}", key_file: "${file("server.key")}" }`,
    });
  const startRedis = () =>
    spawnRedis({
      port: redisPort,
      args: [
        "--port",
        "0",
        "--tls-port",
        String(redisPort),
        "--tls-auth-clients",
        "no",
        "--tls-cert-file",
        file("server.pem"),
        "--tls-key-file",
        file("server.key"),
        "--tls-ca-cert-file",
        file("ca.pem"),
      ],
    });
  let nats = await startNats();
  let redis = await startRedis();
  servers.defer(async () => void (await Promise.all([nats.stop(), redis.stop()])));
  const tls = { enabled: true, ca_file: file("ca.pem") };
  const stack = servers.use(
    await startStack({
      engines: 2,
      services: ["admin"],
      backends: {
        order: ["ldap"],
        ldap: {
          default: {
            server_uri: [`ldaps://127.0.0.1:${ldapsPort}`],
            tls_ca_cert: file("ca.pem"),
            bind_dn: slapd.rootDn,
            bind_pw: slapd.rootPassword,
            cb_cooldown: "1s",
          },
          search: [
            {
              protocol: ["imap"],
              cache_name: "mail",
              base_dn: `ou=people,${slapd.suffix}`,
              filter: { user: "(&(objectClass=inetOrgPerson)(mail=%L{user}))" },
              mapping: { account_field: "uid" },
              attribute: ["cn", "mail"],
            },
          ],
        },
      },
      settings: {
        runtime: { timeouts: { decision: "60s" }, bus: { servers: [`tls://127.0.0.1:${natsPort}`], tls } },
        storage: { redis: { primary: { address: `127.0.0.1:${redisPort}` }, tls } },
        auth: { pipeline: { local_cache_ttl: "0s" }, controls: { enabled: ["brute_force"] } },
      },
    }),
  );
  const signIn = async (): Promise<number> =>
    (await askJson(stack.url, { ...alice, password: "alice-password" })).status;
  const list = async (): Promise<number> =>
    (await fetch(`${stack.url}/api/v1/bruteforce/list`, { headers: { authorization: basicAuth } })).status;
  expect([await signIn(), await list()]).toEqual([200, 200]);

  await use(later);
  const admin = stack.services.get("admin");
  const services: readonly ServiceProcess[] = [
    ...stack.engines,
    stack.gateway,
    ...(admin === undefined ? [] : [admin]),
  ];
  for (const service of services) {
    service.signal("SIGHUP");
    await poll("the reload", async () =>
      (await service.metrics()).includes('_config_reloads_total{result="applied"} 1\n'),
    );
  }
  await Promise.all([nats.stop(), redis.stop(), slapd.kill()]);
  [nats, redis] = await Promise.all([startNats(), startRedis()]);
  await slapd.start();

  await poll("decisions", async () => (await signIn()) === 200, 60_000);
  await poll("admin", async () => (await list()) === 200, 60_000);
  for (const engine of stack.engines) {
    await poll(
      "the engines on Redis",
      async () => (await engine.metrics()).includes("\nservice_brute_force_redis_away 0\n"),
      60_000,
    );
    await poll("the engines to be ready", async () => (await engine.readiness()) === 200, 60_000);
  }
}, 240_000);
