import { existsSync, statSync } from "node:fs";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { plantMachine } from "./machine.ts";

const ownPolicy = "#!/bin/sh\n# the site's own\nexit 101";

const testServers =
  "chromium chromium-headless-shell curl debootstrap dovecot-auth-lua dovecot-imapd haproxy ldap-utils libnginx-mod-mail libsasl2-modules libxml2-utils lua-cjson mariadb-client-core" +
  " mariadb-server-core nats-server nginx opensaml-schemas postfix postgresql prometheus python3";
const restOfTestServers = "redis-server slapd swaks xmltooling-schemas";
const testServersOfLong = `${testServers} python3-venv ${restOfTestServers.replace("xmltooling", "xmlsec1 xmltooling")}`
  .replace("libnginx", "libapache2-mod-auth-mellon libapache2-mod-php libapache2-mod-shib libnginx")
  .replace("postfix", "php-curl php-sqlite3 php-xml postfix")
  .replace("redis-server", "redis-server roundcube-core roundcube-sqlite3")
  .replace("slapd", "simplesamlphp slapd")
  .replace("debootstrap", "debootstrap default-jdk-headless")
  .replace("nats-server", "maven nats-server")
  .replace("haproxy", "golang-go haproxy");

test.each([
  ["packages", ""],
  ["run", "setup: would install system packages: nats-server redis-server\n"],
  ["test", `setup: would install system packages: ${testServers} ${restOfTestServers}\n`],
  ["test-long", `setup: would install system packages: ${testServersOfLong}\n`],
  ["screenshots", "setup: would install system packages: chromium-headless-shell fontconfig fonts-noto-cjk\n"],
  ["bench", "setup: would install system packages: ldap-utils nats-server redis-server slapd wrk\n"],
])("%s needs its own servers", async (purpose, expected) => {
  await using root = await scratchFolder();
  const { output } = await plantMachine(root.path).setup(purpose, "--dry-run").done;
  expect(output).toBe(`setup: would install npm packages\n${expected}`);
});

test("installs missing packages, starts no service, and does nothing the second time", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  const first = await machine.setup("run").done;
  expect(first).toMatchObject({ code: 0, output: expect.stringContaining("servers are ready") });
  expect(machine.read("policy-seen")).toContain("exit 101");
  expect(existsSync(machine.policy)).toBe(false);
  expect(machine.read("apt-calls").split("\n")[1]).toContain(
    "install --no-install-recommends nats-server redis-server",
  );
  const calls = machine.read("apt-calls") + machine.read("npm-calls");
  expect(await machine.setup("run").done).toMatchObject({ code: 0, output: "" });
  expect(machine.read("apt-calls") + machine.read("npm-calls")).toBe(calls);
});

test("restores a policy-rc.d of the site", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("sbin/policy-rc.d", ownPolicy, 0o751);
  const { ino, mtimeMs } = statSync(machine.policy);
  expect(await machine.setup("run").done).toMatchObject({ code: 0 });
  expect(machine.read("policy-seen")).not.toBe(ownPolicy);
  expect(machine.read("sbin/policy-rc.d")).toBe(ownPolicy);
  expect(statSync(machine.policy)).toMatchObject({ ino, mtimeMs, mode: 0o100751 });
});

test("a failed installation shows the reason and restores the policy", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("sbin/policy-rc.d", ownPolicy);
  machine.write("apt-fails", "");
  const { code, output } = await machine.setup("run").done;
  expect(code).toBe(1);
  expect(output).toContain("E: Unable to locate package");
  expect(machine.read("sbin/policy-rc.d")).toBe(ownPolicy);
});

test("without root, one line lists the packages to install", async () => {
  await using root = await scratchFolder();
  const { code, output } = await plantMachine(root.path, "somebody").setup("run").done;
  expect(code).toBe(1);
  expect(output).toBe(
    "setup: root access and apt-get are needed to install nats-server redis-server; install them yourself" +
      " (on Debian: apt-get install --no-install-recommends nats-server redis-server)\n",
  );
});

test("if npm ci rejects the lock, npm install is used and the lock remains as in git", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("npm-ci-fails", "");
  expect(await machine.setup("packages").done).toMatchObject({ code: 0 });
  expect(machine.read("npm-calls").split("\n")[1]).toContain("install --no-save");
  expect(machine.read("package-lock.json")).toBe('{"lockfileVersion": 3}\n');
  expect(await machine.setup("packages").done).toMatchObject({ code: 0, output: "" });
});

test("installs again after a change of package.json", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  await machine.setup("packages").done;
  machine.write("services/gateway/package.json", '{ "dependencies": {} }\n');
  expect((await machine.setup("packages").done).output).toContain("npm packages");
});

test.each([
  ["Node", "bin/node", "#!/bin/sh\necho v18.20.4\n"],
  ["npm", "npm-version", "9.2.0\n"],
])("an old %s only installs the pinned Node and npm, which install the packages", async (_program, file, content) => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write(file, content, 0o755);
  expect(await machine.setup("packages").done).toMatchObject({ code: 0 });
  const calls = (): readonly string[] => machine.read("npm-calls").trimEnd().split("\n");
  expect(calls()).toEqual([
    "install --prefix .run/toolchain --no-audit --no-fund node@26.1.2 npm@11.9.8",
    "toolchain ci --no-audit --no-fund",
  ]);
  machine.write("services/gateway/package.json", '{ "dependencies": {} }\n');
  expect(await machine.setup("packages").done).toMatchObject({ code: 0 });
  expect(calls().slice(2)).toEqual(["toolchain ci --no-audit --no-fund"]);
});

test("without Node.js, one line says what to install", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.removeNode();
  expect(await machine.setup("packages").done).toMatchObject({
    code: 1,
    output:
      "setup: npm is missing: install Node.js 18 or newer with npm (on Debian: apt-get install --no-install-recommends nodejs npm)\n",
  });
});

test("the library that Node needs is installed where it is missing", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("servers/ldconfig", "#!/bin/sh\necho libc.so.6\n", 0o755);
  expect((await machine.setup("packages", "--dry-run").done).output).toContain(
    "would install system packages: libatomic1\n",
  );
  machine.write("servers/ldconfig", "#!/bin/sh\necho libatomic.so.1\n", 0o755);
  expect((await machine.setup("packages", "--dry-run").done).output).not.toContain("libatomic1");
});

test("SASL's mechanisms are installed for Postfix where they are missing", async () => {
  await using root = await scratchFolder();
  const machine = plantMachine(root.path);
  machine.write("sasl-modules/x86_64-linux-gnu/sasl2/libplain.so", "");
  expect((await machine.setup("test", "--dry-run").done).output).not.toContain("libsasl2-modules");
});
