import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { usersBackends, writeUsers } from "../../support/accounts-database.ts";
import { type Answer, askJson } from "../../support/ask-json.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type Stack, startStack } from "../../support/stack.ts";

const hash = "{SSHA}1G904nLkTkGWjKNnQuB/hpWXC/hzYWx0c2FsdA==";
const des = "abJnggxhB/yWI";

/** Stored password, and the reason and detail in the log of a login. */
const stored = {
  known: [hash, "wrong_password", undefined],
  locked: [`!${hash}`, "account_disabled", "password_locked"],
  starred: ["*", "account_disabled", "password_locked"],
  solaris: ["*LK*", "account_disabled", "password_locked"],
  never: ["!!", "account_disabled", "password_locked"],
  empty: ["", "account_disabled", "password_locked"],
  des: [des, "password_unverifiable", "password_unknown_scheme"],
  shadowed: ["x", "password_unverifiable", "password_unknown_scheme"],
  damaged: ["{SSHA}short", "password_unverifiable", "password_damaged"],
} as const;

let stack: Stack;
let file: string;

beforeAll(async () => {
  const bucket = { name: "ipv4", period: "10m", ban_time: "1h", cidr: 24, failed_requests: 5, ipv4: true };
  stack = await startStack({
    redis: true,
    backends: (folder) => {
      file = join(folder, "users.sqlite");
      writeUsers(
        file,
        Object.entries(stored).map(([name, [password]]) => [name, password]),
      );
      return usersBackends(file, ["cache", "sql"]);
    },
    settings: { auth: { controls: { enabled: ["brute_force"], brute_force: { buckets: [bucket] } } } },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

let network = 0;
/** The sign-in is from a new network, unless one is named. */
function ask(username: string, { password = "secret!", clientIp = `198.51.${(network += 1)}.1` } = {}) {
  return askJson(stack.url, { username, password, protocol: "imap", client_ip: clientIp });
}

/** The parts of a response that are the same for every request. */
function shapeOf({ status, headers, body }: Answer) {
  const names = [...headers.keys()].filter((name) => name !== "date");
  return { status, body, names, authStatus: headers.get("auth-status"), wait: headers.get("auth-wait") };
}

async function counted(reason: string): Promise<number> {
  const pages = await Promise.all(stack.engines.map((engine) => engine.metrics()));
  const series = new RegExp(`^service_unverifiable_passwords_total\\{reason="${reason}"\\} (\\d+)$`, "mu");
  return pages.reduce((sum, page) => sum + Number(series.exec(page)?.[1] ?? Number.NaN), 0);
}

describe("an account whose stored password can never be verified", () => {
  test.each(Object.entries(stored))(
    "%s: the response is that of an unknown user, and the log has the reason",
    async (name, [, reason, detail]) => {
      const answer = await ask(name);
      expect(shapeOf(answer)).toEqual(shapeOf(await ask("nobody")));
      expect(answer.status).toBe(403);
      const line = await logLineOf(stack.gateway, answer.headers.get("x-service-session") ?? undefined, "decided");
      expect([line["reason"], line["detail"]]).toEqual([reason, detail]);
    },
  );

  test("faults of the data are counted by reason and logged with the account, never with the stored text", async () => {
    const before = [await counted("unknown_scheme"), await counted("damaged")];
    for (const name of ["des", "des", "damaged", "locked"]) await ask(name);
    expect([await counted("unknown_scheme"), await counted("damaged")]).toEqual([
      (before[0] ?? 0) + 2,
      (before[1] ?? 0) + 1,
    ]);
    const logs = stack.engines.map((engine) => engine.output()).join("\n");
    expect(logs).toMatch(/"level":"warn".*"account":"(?:des|shadowed|damaged)".*cannot be verified/u);
    expect(logs).not.toContain(des);
  });

  test("a repaired hash is accepted immediately: the denial was not cached", async () => {
    expect((await ask("mended")).status).toBe(403);
    const database = new DatabaseSync(file);
    database.prepare("INSERT INTO users VALUES ('mended', ?)").run(des);
    expect((await ask("mended", { password: "secret" })).status).toBe(403);
    database.prepare("UPDATE users SET password = ? WHERE username = 'mended'").run(hash);
    database.close();
    expect((await ask("mended", { password: "secret" })).status).toBe(200);
  });

  test("users with such passwords do not ban their office; a locked account and a wrong password do", async () => {
    const office = "192.0.2.10";
    for (let count = 0; count < 12; count += 1) {
      const name = count % 2 === 0 ? "des" : "damaged";
      await ask(name, { password: `right all along ${count}`, clientIp: office });
    }
    expect((await ask("known", { password: "secret", clientIp: office })).status).toBe(200);
    for (const [index, name] of ["known", "locked"].entries()) {
      const guesser = `192.0.${3 + index}.10`;
      for (let count = 0; count < 5; count += 1) await ask(name, { password: `guess-${count}`, clientIp: guesser });
      expect((await ask("known", { password: "secret", clientIp: guesser })).status).toBe(403);
    }
  });
});
