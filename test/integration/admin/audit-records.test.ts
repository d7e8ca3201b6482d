import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { poll, scratchFolder } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminAnswer, askAdmin } from "../../support/ask-admin.ts";
import { type OperatorsStack, startOperatorsStack } from "./operators-stack.ts";

const folder = await scratchFolder();
const auditFile = join(folder.path, "audit.log");
let stack: OperatorsStack;

beforeAll(async () => {
  stack = await startOperatorsStack(["admin"], {
    observability: { audit: { file: auditFile }, audit_history: { enabled: true } },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

type Query = Readonly<Record<string, string>>;

const pathOf = (query: Query, operation = "audit"): string =>
  `/api/v1/console/${operation}?${new URLSearchParams(query).toString()}`;

const ask = (query: Query, headers: Query = {}): Promise<AdminAnswer> =>
  askAdmin(stack, "GET", pathOf(query), { headers });

interface Listed {
  readonly time: string;
  readonly service: string;
  readonly event: string;
  readonly outcome: string;
  readonly actor?: string;
  readonly target?: string;
}

const recordsIn = ({ body }: AdminAnswer): readonly Listed[] => {
  const { records } = body;
  return Array.isArray(records) ? records : [];
};

async function listed(query: Query, isMeant: (records: readonly Listed[]) => boolean): Promise<readonly Listed[]> {
  let found: readonly Listed[] = [];
  await poll(`records of ${JSON.stringify(query)}`, async () => {
    found = recordsIn(await ask(query));
    return isMeant(found);
  });
  return found;
}

const bearer = async (scope: string): Promise<Query> => ({
  authorization: `Bearer ${await stack.issuer.token({ scope })}`,
});

const exported = async (query: Query): Promise<Response> => {
  const headers = await bearer("service:authenticate service:audit_read");
  return fetch(`${stack.url}${pathOf(query, "audit/export")}`, { headers });
};

test("records of all services are listed, by actor, target, event, outcome and time", async () => {
  await askAdmin(stack, "GET", "/api/v1/console/explain?query=Alice%40example.test");
  await askAdmin(stack, "GET", "/api/v1/console/explain?query=bob", { headers: { authorization: "Basic eDp5" } });
  const [read] = await listed({ target: "alice@EXAMPLE", event: "account" }, (found) => found.length > 0);
  expect(read).toMatchObject({ service: "admin", event: "account.read", outcome: "ok", target: "Alice@example.test" });
  const denied = await listed({ event: "caller", outcome: "denied" }, (found) => found.length > 0);
  expect(denied[0]).toMatchObject({ service: "gateway", event: "caller.rejected" });
  const { actor = "", time = "" } = read ?? {};
  expect(recordsIn(await ask({ actor, event: "account.read", since: time, until: time }))).toHaveLength(1);
  expect(recordsIn(await ask({ actor: "nobody" }))).toEqual([]);
  expect(recordsIn(await ask({ until: "2020-01-01 10:00" }))).toEqual([]);
  const statuses = [{ outcome: "x" }, { since: "yesterday" }, { cursor: "x" }, { limit: "0" }].map(
    async (query) => (await ask(query)).status,
  );
  expect(await Promise.all(statuses)).toEqual([400, 400, 400, 400]);
});

const statusWith = async (scope: string): Promise<number> => (await ask({}, await bearer(scope))).status;

test("the right to read bans does not include the audit records", async () => {
  expect(await statusWith("service:authenticate service:security")).toBe(403);
  expect(await statusWith("service:authenticate service:audit_read")).toBe(200);
  expect(await statusWith("service:authenticate service:admin")).toBe(200);
});

test("reading is audited with its filter", async () => {
  await ask({ target: "who-reads", outcome: "ok" });
  const filter = "target=who-reads outcome=ok";
  // Reading the records is audited too, so this reading may find itself.
  const isIt = ({ target }: { readonly target?: string | undefined }): boolean => target === filter;
  const found = await listed({ event: "audit.read", target: "=who-reads outcome=ok" }, (all) => all.some(isIt));
  expect(found.find(isIt)).toMatchObject({ outcome: "ok" });
});

test("an export has every record that matches, as CSV without formulas or as JSON lines, and is audited", async () => {
  const formula = '=cmd|" /C calc"!A0';
  await askAdmin(stack, "GET", `/api/v1/console/explain?${new URLSearchParams({ query: formula }).toString()}`);
  await listed({ target: formula }, (found) => found.some(({ target }) => target === formula));
  const csv = await exported({ event: "account.read", format: "csv" });
  expect(csv.headers.get("content-type")).toBe("text/csv; charset=utf-8");
  expect(csv.headers.get("content-disposition")).toContain('filename="audit.csv"');
  const text = await csv.text();
  expect(text.startsWith("time,service,instance,event,outcome,actor,target,")).toBe(true);
  expect(text).toContain(`"'${formula.replaceAll('"', '""')}"`);
  const lines = (await (await exported({ event: "account.read", format: "jsonl" })).text()).trimEnd().split("\n");
  expect(lines.map((line): Listed => JSON.parse(line)).map(({ event }) => event)).toEqual(
    lines.map(() => "account.read"),
  );
  expect(text.trimEnd().split("\r\n")).toHaveLength(lines.length + 1);
  const [record] = await listed({ event: "audit.export" }, (found) => found.length >= 2);
  expect(record).toMatchObject({ outcome: "ok", target: "event=account.read" });
});

test("without Redis the audit stream continues, and the list is a temporary failure until Redis is back", async () => {
  await stack.redis?.[Symbol.asyncDispose]();
  expect((await ask({})).status).toBe(500);
  expect((await askAdmin(stack, "GET", pathOf({}, "audit/export"))).status).toBe(500);
  await askAdmin(stack, "GET", "/api/v1/config/load");
  await poll("the line of the audit stream", async () =>
    (await readFile(auditFile, "utf8")).includes('"event":"configuration.read"'),
  );
  await stack.startRedis();
  await listed({ event: "configuration.read" }, (found) => found.length > 0);
});
