import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminAnswer, askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { type OperatorsStack, startOperatorsStack } from "./operators-stack.ts";

const folder = await scratchFolder();
const auditFile = join(folder.path, "audit.log");
let stack: OperatorsStack;

beforeAll(async () => {
  stack = await startOperatorsStack(["admin"], {
    observability: { audit: { file: auditFile }, decision_history: { enabled: true } },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const ask = (operation: string, query: Readonly<Record<string, string>>): Promise<AdminAnswer> =>
  askAdmin(stack, "GET", `/api/v1/console/${operation}?${new URLSearchParams(query).toString()}`);

const login = (fields: object) => askJson(stack.url, { ...alice, ...fields });

interface Recorded {
  readonly outcome: string;
  readonly count: number;
  readonly client_ip: string;
  readonly username?: string;
  readonly session: string;
}

const ends = (networks: readonly string[]): readonly string[] => networks.map((text) => text.split(" ")[0] ?? "");

function recordsIn({ body }: AdminAnswer): readonly Recorded[] {
  const { records } = body;
  return Array.isArray(records) ? records : [];
}

async function recorded(query: Readonly<Record<string, string>>, isMeant: (records: readonly Recorded[]) => boolean) {
  let found: readonly Recorded[] = [];
  await poll("the records", async () => {
    found = recordsIn(await ask("history", query));
    return isMeant(found);
  });
  return found;
}

/** Each engine writes its records within a second of its own. */
async function explainedAsBlocked(query: string): Promise<AdminAnswer["body"]> {
  let body: AdminAnswer["body"] = {};
  await poll(`the ban in the explanation of ${query}`, async () => {
    ({ body } = await ask("explain", { query }));
    return body["state"] === "blocked";
  });
  return body;
}

test("both engines record sign-ins, and equal ones are one record with their number", async () => {
  for (let index = 0; index < 12; index += 1) await login({ client_ip: "198.51.100.7" });
  const query = { account: alice.username };
  const [record] = await recorded(query, ([first]) => first !== undefined);
  expect(record).toMatchObject({ outcome: "ok", client_ip: "198.51.100.7" });
  expect(recordsIn(await ask("history", { account: "alice" })).length).toBeGreaterThan(0);
});

test("a banned customer is explained in a sentence, by account, address, network and reference", async () => {
  const address = "192.0.2.44";
  expect((await login({ client_ip: address })).status).toBe(200);
  let session = "";
  for (let index = 0; index < 3; index += 1) {
    const { headers } = await login({ client_ip: address, password: `wrong-${index}` });
    session = headers.get("x-service-session") ?? "";
  }
  expect((await login({ client_ip: address })).status).toBe(403);
  for (const query of [alice.username, "alice"]) {
    const body = await explainedAsBlocked(query);
    expect(body).toMatchObject({ kind: "account", account: alice.username });
    expect(body["verdict"]).toMatch(
      /^Blocked until .+ UTC: 3 failures from 192\.0\.2\.0\/24 \(rule wide\); this customer's own password was correct at .+ UTC from 192\.0\.2\.44\.$/u,
    );
    expect(body["remedy"]).toBe("To lift the ban: postern unban 192.0.2.0/24");
  }
  await recorded({ network: address }, (records) => records.some(({ outcome }) => outcome === "ok"));
  expect(await explainedAsBlocked(address)).toMatchObject({ kind: "address", other_accounts: [alice.username] });
  expect(await explainedAsBlocked("192.0.2.0/24")).toMatchObject({ kind: "network" });
  const ofReference = await explainedAsBlocked(session.slice(0, 13));
  expect(ofReference).toMatchObject({ kind: "reference", account: alice.username });
});

test("names of accounts that do not exist are recorded under their network only, and are data whatever they contain", async () => {
  const username = '<script>alert("1")</script>\u0007{tag}\n=cmd@example.test';
  const { status } = await login({ username, client_ip: "198.51.100.99" });
  expect([400, 403]).toContain(status);
  const typed = "nobody<script>@example.test";
  await login({ username: typed, client_ip: "198.51.100.99" });
  const records = await recorded({ network: "198.51.100.99" }, (found) => found.some((one) => one.username === typed));
  expect(records.find((one) => one.username === typed)).toMatchObject({ outcome: "denied", reason: "unknown_user" });
  expect(recordsIn(await ask("history", { account: typed }))).toEqual([]);
  expect((await ask("explain", { query: typed })).body).toMatchObject({ state: "unknown", kind: "account" });
});

test("pages of the history continue where the last one ended", async () => {
  const all = await recorded({ account: alice.username }, (records) => records.length >= 3);
  const sessions: string[] = [];
  let cursor: unknown;
  do {
    const place = typeof cursor === "string" ? { cursor } : {};
    const page = await ask("history", { account: alice.username, limit: "2", ...place });
    sessions.push(...recordsIn(page).map((record) => record.session));
    cursor = page.body["next"];
  } while (cursor !== undefined);
  expect(new Set(sessions).size).toBe(sessions.length);
  expect(sessions.length).toBeGreaterThanOrEqual(all.length);
});

test("bans are listed in the order of their ends, page after page", async () => {
  for (let block = 1; block <= 5; block += 1) {
    for (let index = 0; index < 3; index += 1)
      await login({ client_ip: `10.9.${block}.1`, password: `wrong-${index}` });
  }
  const read = async (order: string): Promise<readonly string[]> => {
    const networks: string[] = [];
    let cursor: unknown;
    do {
      const place = typeof cursor === "string" ? { cursor } : {};
      const { body } = await ask("bans", { order, limit: "2", rule: "wide", ...place });
      const bans = Array.isArray(body["bans"]) ? body["bans"] : [];
      networks.push(...bans.map((ban: unknown) => `${Object(ban).end} ${Object(ban).network}`));
      cursor = body["next"];
    } while (cursor !== undefined);
    return networks;
  };
  const [rising, falling] = [await read("asc"), await read("desc")];
  expect(rising.filter((text) => text.includes("10.9."))).toHaveLength(5);
  expect(ends(rising).toSorted()).toEqual(ends(rising));
  expect([...falling].toSorted()).toEqual([...rising].toSorted());
  expect(ends(falling).toReversed()).toEqual(ends(rising));
  expect((await ask("bans", { cursor: "x" })).status).toBe(400);
});

const carol = "carol@example.test";
const attacks = async () => (await ask("attacks", { minutes: "30" })).body;

/** The failures from the networks of the phone and of the guesser, and those of the phone's owner. */
async function oldPasswords() {
  const { networks, accounts } = await attacks();
  const rows = [networks].flat().map((one) => [Object(one).network, Object(one).failures, Object(one).repeated]);
  const owner = [accounts].flat().find((one) => Object(one).account === carol);
  return {
    rows: rows.filter(([network]) => String(network).startsWith("10.77.")),
    owner: Object(owner).wrong_passwords,
  };
}

describe("attacks", () => {
  const [phone, guesser] = ["10.77.1.9", "10.77.2.9"];
  // Before the first test, because engines write these numbers every ten seconds.
  beforeAll(async () => {
    const attempts = Array.from({ length: 12 }, () => ({
      username: carol,
      password: "of last year",
      client_ip: phone,
    }));
    for (const attempt of attempts) await login(attempt);
    for (const password of ["1", "2"]) await login({ password, client_ip: guesser });
  });

  test("decisions per minute, failing networks and accounts are shown", async () => {
    const { networks, accounts } = await poll("all failures", async () => {
      const body = await attacks();
      const { minutes } = body;
      const denied = Array.isArray(minutes) ? minutes.reduce((sum: number, one) => sum + Number(one.denied), 0) : 0;
      return denied >= 29 && body;
    });
    expect(networks).toEqual(expect.arrayContaining([expect.objectContaining({ network: "10.9.1.0/24" })]));
    expect(accounts).toEqual(expect.arrayContaining([expect.objectContaining({ account: alice.username })]));
  });

  test("one phone that repeats one old password ranks below a guesser, and its owner is not under attack", async () => {
    const expected = [
      ["10.77.2.0/24", 2, 0],
      ["10.77.1.0/24", 1, 11],
    ];
    await expect.poll(oldPasswords).toEqual({ rows: expected, owner: 1 });
  });
});

test("what an operator asks is audited with the account or the network, which shows accounts too", async () => {
  await ask("explain", { query: "audited@example.test" });
  await ask("history", { network: "203.0.113.0/24" });
  await ask("explain", { query: "203.0.113.201" });
  let lines: readonly string[] = [];
  await poll("the audit record", async () => {
    const text = await readFile(auditFile, "utf8");
    lines = text.split("\n");
    return ["audited@example.test", "203.0.113.0/24", "203.0.113.201"].every((target) =>
      lines.some((line) => line.includes(target)),
    );
  });
  const eventOf = (target: string): unknown =>
    JSON.parse(lines.findLast((line) => line.includes(`"target":"${target}"`)) ?? "{}").event;
  expect([eventOf("audited@example.test"), eventOf("203.0.113.0/24"), eventOf("203.0.113.201")]).toEqual([
    "account.read",
    "network.read",
    "network.read",
  ]);
});

test("a token without an operator's scope may not read", async () => {
  const token = await stack.issuer.token({ scope: "service:authenticate" });
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await askAdmin(stack, "GET", "/api/v1/console/explain?query=alice", { headers });
  expect(status).toBe(403);
});

test("without Redis decisions continue, and requests of operators are temporary failures", async () => {
  await stack.redis?.[Symbol.asyncDispose]();
  expect((await login({ client_ip: "198.51.100.7" })).status).toBe(200);
  expect((await ask("explain", { query: "203.0.113.9" })).status).toBe(500);
  await stack.startRedis();
  await poll("records after the loss", async () => {
    await login({ client_ip: "198.51.100.8" });
    const { status } = await ask("history", { account: alice.username });
    return status === 200 && recordsIn(await ask("history", { account: alice.username })).length > 0;
  });
});
