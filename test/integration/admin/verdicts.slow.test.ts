import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { factorLockKeys } from "@postern/shared/domain/factor-locks";
import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runOperatorCommand } from "../../../cli/src/operator/run-operator.ts";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";

let stack: Stack;
let directoryFile = "";

const rule = { name: "wide", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 3, ipv4: true };
/** Every new network of an account is dangerous. */
const dangerous = { score: 10, responses: ["deny"] };
const risk = { mode: "enforce", learn_for: "0s", known_after: "0s", suspicious: { score: 10 }, dangerous };
const noPop3 = {
  name: "no pop3",
  if: { attribute: "request.protocol", eq: "pop3" },
  // oxlint-disable-next-line unicorn/no-thenable -- a key of the configuration is named so
  then: { decision: "deny" },
};
const policy = { policies: [noPop3] };

beforeAll(async () => {
  stack = await startStack({
    redis: true,
    services: ["admin"],
    backends: (folder) => {
      directoryFile = join(folder, "directory.sqlite");
      return demoBackends(folder);
    },
    settings: {
      observability: { decision_history: { enabled: true } },
      auth: { risk, policy, controls: { enabled: ["brute_force"], brute_force: { buckets: [rule] } } },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

const login = (fields: object) => askJson(stack.url, { ...alice, ...fields });
const [bob, carol] = ["bob", "carol"].map((name) => ({
  username: `${name}@example.test`,
  password: `${name}-demo-password`,
}));

/** What the console, the API and the command say, which must be the same. */
async function verdictOn(query: string, expected: RegExp): Promise<{ readonly state: unknown; readonly out: string }> {
  const environment = {
    POSTERN_URL: stack.url,
    POSTERN_USER: "backchannel",
    POSTERN_PASSWORD: "demo-backchannel-secret",
  };
  let said = "";
  return poll(`${query}: ${expected.source}`, async () => {
    const path = `/api/v1/console/explain?${new URLSearchParams({ query }).toString()}`;
    const { body } = await askAdmin(stack, "GET", path);
    const { verdict, state } = body;
    said = String(verdict);
    if (!expected.test(said)) return undefined;
    const { output } = await runOperatorCommand(["why", query], {
      environment,
      findOwnSite: () => undefined,
      progress: () => undefined,
    });
    return output[0] === said ? { state, out: output.join("\n") } : undefined;
  }).catch((error: unknown) => {
    throw new Error(`the last verdict was: ${said}`, { cause: error });
  });
}

/** Times are stored in seconds, and of two sign-ins of one second the failure counts as the last. */
async function nextSecond(): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  await poll("the next second", async () => Math.floor(Date.now() / 1000) > now);
}

const clock = String.raw`(?:\d{4}-\d\d-\d\d )?\d\d:\d\d UTC`;

test("a name that no backend has", async () => {
  const { state } = await verdictOn("alise@example.test", /^No backend has an account of this name, so no sign-in/u);
  expect(state).toBe("unknown");
});

test("an account that works, while an old phone sends the old password", async () => {
  const [home, phone] = ["203.0.113.9", "192.0.2.66"];
  for (const password of ["old", "old"]) expect((await login({ password, client_ip: phone })).status).toBe(403);
  await verdictOn(
    alice.username,
    new RegExp(
      `^Not blocked now\\. The last sign-in failed at ${clock} from ${phone} by imap.*: the password was wrong\\.`,
      "u",
    ),
  );
  await nextSecond();
  expect((await login({ client_ip: home })).status).toBe(200);
  const { state } = await verdictOn(
    alice.username,
    new RegExp(
      `^Not blocked\\. The last sign-in succeeded at ${clock} from ${home} by imap\\. The last failure was at ${clock} from ${phone} by imap.*: the password was wrong\\.`,
      "u",
    ),
  );
  expect(state).toBe("working");
});

test("a customer whose own network is banned, by account, and by the reference of the refusal", async () => {
  const address = "203.0.113.9";
  for (const password of ["one", "two", "three"]) await login({ password, client_ip: address });
  const refused = await login({ client_ip: address });
  expect(refused.status).toBe(403);
  const { state, out } = await verdictOn(
    alice.username,
    new RegExp(
      `^Blocked until ${clock}: 3 failures from 203\\.0\\.113\\.0/24 \\(rule wide\\); this customer's own password was correct at ${clock} from ${address}\\. Wrong passwords for alice@example\\.test come from a program without a name \\(imap\\), last at ${clock} from ${address}\\.$`,
      "u",
    ),
  );
  expect(state).toBe("blocked");
  expect(out).toContain("To lift the ban: postern unban 203.0.113.0/24");
  const reference = refused.headers.get("x-service-session")?.slice(0, 13) ?? "";
  await verdictOn(
    reference,
    /^Blocked until .+ This sign-in .*failed at .+: the network was banned by the rule wide\.$/u,
  );
  expect(
    (await askAdmin(stack, "DELETE", "/api/v1/bruteforce/flush", { body: { ip_address: address, rule_name: "*" } }))
      .status,
  ).toBe(200);
  await verdictOn(
    reference,
    /^This sign-in .*failed at .+: the network was banned by the rule wide\. The ban has ended\.$/u,
  );
  const after = await verdictOn(alice.username, /^Not blocked now\. The last sign-in failed at .+ That has ended\./u);
  expect(after.state).toBe("lifted");
});

test("a second factor that is locked is not hidden by a success of a mail program, and unlocking ends the verdict", async () => {
  await nextSecond();
  // Repetitions of an equal sign-in would be written after a minute.
  expect((await login({ client_ip: "203.0.113.9", protocol: "submission" })).status).toBe(200);
  const redis = await testRedis(stack.redis?.port ?? 0);
  await redis.set(factorLockKeys("postern:", alice.username, "totp").failures, "100");
  const { state, out } = await verdictOn(
    alice.username,
    /^The authenticator app is locked until an operator unlocks the second factors: 100 consecutive wrong codes\. The last sign-in succeeded/u,
  );
  expect([state, out]).toEqual(["limited", expect.stringContaining(`postern unlock ${alice.username}`)]);
  const body = { username: alice.username };
  expect((await askAdmin(stack, "DELETE", "/api/v1/mfa-backchannel/lock", { body })).status).toBe(200);
  await verdictOn(alice.username, /^Not blocked\. The last sign-in succeeded/u);
  redis.disconnect();
});

test("a customer whose first sign-in a ban refuses is found by the name as typed, with the network, its end and the remedy", async () => {
  using directory = new DatabaseSync(directoryFile);
  directory.exec(
    "INSERT INTO users (username, password, display_name, mail, uid) SELECT 'dora@example.test', password, 'Dora', 'dora@example.test', 'dora' FROM users WHERE uid = 'alice'",
  );
  const [dora, home, office] = ["dora@example.test", "198.18.7.20", "198.18.8.20"];
  for (const client_ip of [home, office]) {
    for (const password of ["one", "two", "three"])
      await login({ username: "colleague@example.test", password, client_ip });
  }
  for (const client_ip of [home, office]) {
    expect((await login({ username: "Dora@example.test", client_ip })).status).toBe(403);
  }
  const headline = new RegExp(
    `^Blocked until ${clock}: 3 failures from 198\\.18\\.[78]\\.0/24 \\(rule wide\\)\\. The last sign-in came at ${clock} from `,
    "u",
  );
  const listed = (network: string) =>
    new RegExp(
      `- Sign-ins from ${network} are refused until ${clock}: 3 failures from ${network} \\(rule wide\\)\\.\n  If the customer is there: postern unban ${network}\n`,
      "u",
    );
  const networks = ["198.18.7.0/24", "198.18.8.0/24"];
  // Each of the engines writes what it has recorded once a second.
  await poll("both networks", async () => {
    const { state, out } = await verdictOn(dora, headline);
    return state === "blocked" && networks.every((network) => listed(network).test(out));
  });
});

test("a customer who has never signed in, from a network that is banned", async () => {
  const address = "198.51.100.20";
  for (const password of ["one", "two", "three"]) await login({ ...carol, password, client_ip: address });
  const { state } = await verdictOn(
    carol?.username ?? "",
    new RegExp(
      `^Blocked until ${clock}: 3 failures from 198\\.51\\.100\\.0/24 \\(rule wide\\)\\. The last sign-in came at ${clock} from ${address} by imap; no correct sign-in of this account is recorded\\. Wrong passwords for carol@example\\.test come from`,
      "u",
    ),
  );
  expect(state).toBe("blocked");
});

test("the mail program of a sign-in is in the log, the history, the verdict and what is known of the account; the caller's is not", async () => {
  const phone = { ...carol, client_ip: "192.0.2.140", client_id: "iPhone Mail 17.1" };
  const failed = await login({ ...phone, password: "of last year" });
  expect(failed.status).toBe(403);
  const session = failed.headers.get("x-service-session") ?? undefined;
  expect(await logLineOf(stack.gateway, session, "decided")).toMatchObject({ program: "iPhone Mail 17.1" });
  const { out } = await verdictOn(
    carol?.username ?? "",
    /from 192\.0\.2\.140 by imap with iPhone Mail 17\.1: the password was wrong\./u,
  );
  expect(out).toMatch(/192\.0\.2\.140 +imap iPhone Mail 17\.1 /u);
  expect((await login(phone)).status).toBe(200);
  // Without client_id and user_agent, the caller's own User-Agent remains.
  const bare = await login({ ...carol, client_ip: "192.0.2.140", protocol: "pop3s" });
  expect(await logLineOf(stack.gateway, bare.headers.get("x-service-session") ?? "", "decided")).not.toHaveProperty(
    "program",
  );
  const path = `/api/v1/console/risk?${new URLSearchParams({ query: carol?.username ?? "" }).toString()}`;
  const facts = async () => {
    const { protocols, clients } = (await askAdmin(stack, "GET", path)).body;
    return { protocols: new Set([protocols].flat()), clients };
  };
  await expect.poll(facts).toEqual({ protocols: new Set(["imap", "pop3s"]), clients: ["iphone"] });
});

test("a correct password that risk refuses", async () => {
  const redis = await testRedis(stack.redis?.port ?? 0);
  const facts = async (): Promise<number> => (await redis.keys("*risk:account:*")).length;
  const before = await facts();
  expect((await login({ ...bob, client_ip: "192.0.2.130" })).status).toBe(200);
  await poll("what the engines learned", async () => (await facts()) > before);
  redis.disconnect();
  expect((await login({ ...bob, client_ip: "198.18.0.9" })).status).toBe(403);
  const { state, out } = await verdictOn(
    bob?.username ?? "",
    /^Not blocked now\. .*: the password was correct, but the sign-in looked like one with a stolen password\./u,
  );
  expect([state, out]).toEqual([
    "denied",
    expect.stringContaining("Ask the customer whether they signed in from there"),
  ]);
});

test("a correct password that a policy refuses, a disabled account, and a backend that fails", async () => {
  const address = "192.0.2.131";
  expect((await login({ ...bob, client_ip: address, protocol: "pop3" })).status).toBe(403);
  await verdictOn(bob?.username ?? "", /from 192\.0\.2\.131 by pop3: the policy no pop3 denied the sign-in\./u);
  using directory = new DatabaseSync(directoryFile);
  directory.exec("ALTER TABLE users RENAME TO away");
  try {
    expect((await login({ ...bob, client_ip: address })).status).toBe(500);
    const { state } = await verdictOn(
      bob?.username ?? "",
      /^Not blocked now\. .*: temporary failure \([A-Z_]+\); the password is not the cause\./u,
    );
    expect(state).toBe("undecided");
  } finally {
    directory.exec("ALTER TABLE away RENAME TO users");
  }
  directory.exec("UPDATE users SET enabled = 0 WHERE uid = 'bob'");
  const { state } = await verdictOn(
    bob?.username ?? "",
    /^The account is disabled in the backend sql, so no sign-in succeeds\. Its last correct sign-in was at .+ from /u,
  );
  expect(state).toBe("denied");
});
