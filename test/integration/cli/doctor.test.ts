import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadConfig } from "@postern/shared/platform/config";
import { type NatsServer, scratchFolder, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { judgeDates } from "../../../cli/src/doctor/certificate-dates.ts";
import { callerChecks, unseenCallers } from "../../../cli/src/doctor/check-callers.ts";
import { runDoctorCommand } from "../../../cli/src/doctor/doctor.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { isTree, merged, type Tree } from "../../support/stack-config.ts";

const rules = [{ name: "all", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 9, ipv4: true, ipv6: true }];
const protection = { auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: rules } } } };
const owned = new AsyncDisposableStack();
let stack: Stack;
let folder: string;
let guarded: NatsServer;

beforeAll(async () => {
  folder = owned.use(await scratchFolder()).path;
  stack = owned.use(
    await startStack({ shape: "five", redis: true, services: ["idp", "admin", "jobs-worker"], settings: protection }),
  );
  guarded = owned.use(await spawnNats({ config: 'authorization { token: "s-the-token" }' }));
  await makeCertificate(folder, "soon", "/CN=soon.example.test");
});

afterAll(() => owned.disposeAsync());

const privatePorts = (): Tree => {
  const services = Object.fromEntries(
    [...stack.services].map(([name, { privatePort }]) => [
      name.replace("-", "_"),
      { private_address: `127.0.0.1:${privatePort}` },
    ]),
  );
  return { runtime: { developer_mode: false, services } };
};

async function doctor(settings: Tree, ...flags: readonly string[]) {
  const tree: unknown = JSON.parse(await readFile(stack.configFile, "utf8"));
  if (!isTree(tree)) throw new TypeError("the stack's configuration is not a mapping");
  const file = join(folder, "doctor.yaml");
  await writeFile(file, JSON.stringify(merged(merged(tree, privatePorts()), settings)));
  await chmod(file, 0o600);
  const { exitCode, output } = await runDoctorCommand(["--config", file, "--timeout", "2", ...flags]);
  return { exitCode, printed: output.join("\n") };
}

test("a healthy site has no problem, and a NATS without credentials is a warning", async () => {
  const { exitCode, printed } = await doctor({});
  expect(printed).toMatch(/^warning {2}nats: the server accepts clients without credentials/mu);
  expect(printed).toMatch(/: 0 problems, \d+ warnings$/u);
  expect(exitCode).toBe(0);
  expect((await doctor({}, "--strict")).exitCode).toBe(1);
});

test("a Redis without an append-only file is a warning for the roles that hold state and jobs", async () => {
  const { printed } = await doctor({});
  expect(printed).toMatch(/^warning {2}redis state: its append-only file is off/mu);
  expect(printed).toMatch(/^warning {2}redis queue: its append-only file is off/mu);
  expect(printed).not.toMatch(/redis cache: its append-only file/u);
});

const withToken = (token: string): Tree => ({ runtime: { bus: { servers: [guarded.url], token } } });

test("a NATS that requires the configured token is no finding, and a wrong token is a problem", async () => {
  expect((await doctor(withToken("s-the-token"))).printed).not.toContain(" nats: ");
  expect((await doctor(withToken("s-another"))).printed).toMatch(
    /^problem {2}nats: nats:\S+ not reachable: .*uthoriz/mu,
  );
});

test("unreachable servers and services are problems, each with what to do", async () => {
  const { exitCode, printed } = await doctor({
    storage: { redis: { roles: { queue: { url: "redis://127.0.0.1:1/0" } } } },
    runtime: { services: { idp: { private_address: "127.0.0.1:1" } } },
    auth: { backends: { sql: { default: { file: "/nowhere/a.sqlite" } } } },
  });
  expect(exitCode).toBe(1);
  expect(printed).toMatch(/^problem {2}redis queue: not reachable: .*ECONNREFUSED.*start Redis/mu);
  expect(printed).toMatch(/^problem {2}service idp: does not answer at 127\.0\.0\.1:1\. start it/mu);
  expect(printed).toMatch(/^problem {2}backend sql: not usable: .*postern directory test/mu);
  expect(printed).not.toMatch(/problem +redis (?:state|cache):|service (?:gateway|admin|auth-engine|jobs-worker):/u);
});

test("guessing protection that is off, keys without effect, trust in everybody and certificate dates are findings", async () => {
  const { printed } = await doctor({
    auth: { controls: { enabled: [] } },
    env: "production",
    runtime: {
      servers: {
        http: {
          trusted_proxies: ["0.0.0.0/0"],
          tls: { enabled: true, cert: join(folder, "soon.crt"), key: join(folder, "soon.key") },
        },
      },
    },
  });
  expect(printed).toMatch(/^problem {2}guessing protection: off/mu);
  expect(printed).toMatch(/^warning {2}configuration: env: .*no effect/mu);
  expect(printed).toMatch(/^warning {2}configuration: runtime\.servers\.http\.trusted_proxies\[0\]/mu);
  expect(printed).toMatch(
    /^warning {2}certificate runtime\.servers\.http\.tls\.cert: .*soon\.crt expires in \d days/mu,
  );
});

test("with --json, findings are objects, and an invalid configuration is one too", async () => {
  const { exitCode, printed } = await doctor({ runtime: { timeouts: { decision: "soon" } } }, "--json");
  expect(exitCode).toBe(1);
  expect(JSON.parse(printed)).toMatchObject({
    findings: expect.arrayContaining([
      expect.objectContaining({ severity: "problem", found: expect.stringContaining("timeouts.decision") }),
    ]),
  });
});

test("a password of a caller outside of a file of its own, and files that others can read or change, are findings", async () => {
  const secret = join(folder, "mx1");
  await writeFile(secret, "first-password-of-mx1");
  await chmod(secret, 0o644);
  const open = join(folder, "open");
  await mkdir(open);
  await chmod(open, 0o777);
  await writeFile(join(open, "mx2"), "first-password-of-mx2", { mode: 0o600 });
  const callers = [
    { name: "mx1", password: { file: secret } },
    { name: "mx2", password: { file: join(open, "mx2") } },
    { name: "mx3", password: "first-password-of-mx3" },
  ];
  const { printed, exitCode } = await doctor({ auth: { backchannel: { callers } } });
  expect(exitCode).toBe(1);
  expect(printed).toContain(
    `warning  secrets: ${secret} is readable by every user of this machine. chmod 0640 ${secret}`,
  );
  expect(printed).toContain(`problem  secrets: every user of this machine can replace the files in ${open}. chmod o-w`);
  expect(printed).toMatch(
    /^warning {2}caller mx3: auth\.backchannel\.callers\[2\]\.password is in the configuration/mu,
  );
  expect(printed).not.toMatch(/caller mx[12]:/u);
  expect(printed).not.toContain("first-password");
  await chmod(secret, 0o602);
  expect((await doctor({ auth: { backchannel: { callers } } })).printed).toContain(
    `problem  secrets: ${secret} can be changed by every user of this machine`,
  );
  const missing = [{ name: "mx1", password: { file: join(folder, "missing") } }];
  expect((await doctor({ auth: { backchannel: { callers: missing } } })).printed).toMatch(
    /^problem {2}configuration: auth\.backchannel\.callers\[0\]\.password: refers to the file \S+missing, which cannot be read/mu,
  );
});

test("a caller that the gateway has not seen is a finding, and one that has asked is not", async () => {
  const tree: unknown = JSON.parse(await readFile(stack.configFile, "utf8"));
  const loaded = loadConfig({
    text: JSON.stringify(merged(isTree(tree) ? tree : {}, privatePorts())),
    env: {},
    readFile: () => "",
  });
  if (!loaded.ok) throw new Error("the stack's configuration is not valid");
  const unseen = async () => (await Promise.all(callerChecks(loaded.config, 2000, 0).map(({ run }) => run()))).flat();
  expect(await unseen()).toMatchObject([{ severity: "warning", subject: "caller backchannel" }]);
  expect((await fetch(`${stack.url}/api/v1/config/load`, { headers: { authorization: basicAuth } })).status).toBe(200);
  expect(await unseen()).toEqual([]);
});

test("a gateway that has just started says nothing about its callers", () => {
  const metrics = 'process_start_time_seconds 1000\ns_caller_requests_total{caller="a.b",result="admitted"} 0\n';
  const unseen = (nowSeconds: number) => unseenCallers(metrics, ["a.b", "axb"], { nowSeconds, afterSeconds: 60 });
  expect(unseen(1059)).toEqual([]);
  expect(unseen(1061).map(({ subject, found }) => [subject, found])).toEqual([
    ["caller a.b", "no request since the gateway of this machine started at 1970-01-01T00:16:40.000Z"],
  ]);
});

const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

test("an expired certificate, and one that is not valid yet, are problems", () => {
  const now = day("2026-06-01").getTime();
  expect(judgeDates(day("2026-01-01"), day("2026-05-31"), now)?.severity).toBe("problem");
  expect(judgeDates(day("2026-06-02"), day("2027-01-01"), now)?.severity).toBe("problem");
  expect(judgeDates(day("2026-01-01"), day("2027-01-01"), now)).toBeUndefined();
});
