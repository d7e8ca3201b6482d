import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { DecisionRecord } from "@postern/shared/contracts";
import { scratchFolder } from "@postern/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { signInsOf } from "../../../services/auth-engine/src/rehearsal/history-records.ts";
import { runRehearseCommand } from "./rehearse.ts";
import { nonce, surroundings } from "./testing/rehearsed-logs.ts";

const record = (more: Partial<DecisionRecord> = {}): DecisionRecord => ({
  time: "2026-11-20T12:30:00.000Z",
  first_time: "2026-11-20T11:00:00.000Z",
  count: 1,
  outcome: "ok",
  text: "",
  channel: "mail",
  protocol: "imap",
  client_ip: "198.51.100.7",
  account: "alice@example.org",
  instance: "",
  session: "7d3f91ac-20b4",
  ...more,
});

interface Answer {
  readonly status?: number;
  readonly body: object;
}

/** Rehearses another list of relay domains against a server with these answers. */
async function rehearse(answers: readonly Answer[], ...flags: readonly string[]) {
  await using folder = await scratchFolder();
  const urls: string[] = [];
  const server = createServer((request, response) => {
    const { status = 200, body } = answers[urls.length] ?? { status: 500, body: {} };
    urls.push(request.url ?? "");
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const [old, next] = ["old.yaml", "new.yaml"].map((name) => join(folder.path, name));
  if (old === undefined || next === undefined) throw new Error("no names");
  const relay = { enabled: ["relay_domains"], relay_domains: { static: ["example.org"] } };
  writeFileSync(old, JSON.stringify(nonce));
  writeFileSync(next, JSON.stringify({ ...nonce, auth: { controls: relay } }));
  const files = ["--config", next, "--against", old, "--url", `http://127.0.0.1:${port}`];
  const result = await runRehearseCommand([...files, "--json", ...flags], surroundings());
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  return { ...result, urls, report: JSON.parse(result.output.join("\n") || "{}") };
}

const foreign = record({ account: "bob@example.net", count: 4 });

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

test("all pages are read, and a history that is on two of them counts once", async () => {
  const times = { first_time: hoursAgo(30), time: hoursAgo(29) };
  const first = { histories: [{ id: "a1", records: [{ ...foreign, ...times }] }], done: 0.5, next: "3:17" };
  const second = {
    histories: [
      { id: "a1", records: [{ ...foreign, ...times }] },
      { id: "a2", records: [record({ count: 5, ...times })] },
    ],
    done: 1,
  };
  const { exitCode, urls, report } = await rehearse([{ body: first }, { body: second }], "--since", "9d");
  const path = /^\/api\/v1\/console\/history\/export\?since=2[\d%A-Z.-]+(?:&cursor=3%3A17)?$/u;
  expect([exitCode, urls.length, urls.every((url) => path.test(url))]).toEqual([0, 2, true]);
  expect([report.sign_ins, report.now_refused.sign_ins, report.source]).toEqual([9, 4, "history"]);
});

test("a history that cannot be read is an error, with a part of it too", async () => {
  const page = { histories: [{ id: "a1", records: [foreign] }], done: 0.5, next: "3:17" };
  const broken = await rehearse([{ body: page }, { status: 500, body: { error: "stored records cannot be read" } }]);
  expect([broken.exitCode, broken.output]).toEqual([1, []]);
  expect(broken.errors.join()).toContain("stored records cannot be read");
  const refused = await rehearse([{ status: 403, body: {} }]);
  expect([refused.exitCode, refused.errors.join()]).toEqual([1, expect.stringContaining("lack the permission")]);
  const other = await rehearse([{ body: { histories: "all" } }]);
  expect(other.errors.join()).toContain("same version");
  const empty = await rehearse([{ body: { histories: [], done: 1 } }]);
  expect([empty.exitCode, empty.errors]).toEqual([1, ["the history contains no sign-in in this time"]]);
});

test("ordinary successes count on their days, as whole ones; other records at the time of the last", () => {
  const since = Date.parse("2026-11-19T23:00:00Z");
  const days = [
    { date: "2026-11-20", count: 3 },
    { date: "2026-11-19", count: 2 },
    { date: "2026-11-18", count: 9 },
  ];
  const parts = signInsOf(record({ count: 14, days }), since)?.map(({ timeMs, count }) => [
    new Date(timeMs).toISOString(),
    count,
  ]);
  expect(parts).toEqual([
    ["2026-11-20T12:30:00.000Z", 3],
    ["2026-11-19T00:00:00.000Z", 2],
  ]);
  const { account: _account, ...failed } = record({ outcome: "blocked", rule: "net", count: 7, username: "x" });
  expect(signInsOf(failed, since)).toMatchObject([{ outcome: "blocked", reason: "net", count: 7, username: "x" }]);
  expect(signInsOf(failed, Date.parse("2026-11-21T00:00:00Z"))).toEqual([]);
});

test("whatever a record contains, it is read or not, and nothing is counted that it does not say", () => {
  const word = fc.oneof(fc.string(), fc.constantFrom("ok", "denied", "mail", "browser", "2026-11-20T12:30:00.000Z"));
  const texts = fc.record({ time: word, outcome: word, channel: word, protocol: word, client_ip: word });
  const day = fc.record({ date: fc.oneof(word, fc.constant("2026-11-20")), count: fc.integer({ min: 1, max: 9 }) });
  fc.assert(
    fc.property(texts, fc.option(fc.array(day), { nil: undefined }), (some, days) => {
      const signIns = signInsOf(record({ ...some, ...(days && { days }) }), 0) ?? [];
      const counted = days === undefined ? 1 : days.reduce((sum, { count }) => sum + count, 0);
      expect(signIns.reduce((sum, { count }) => sum + count, 0)).toBeLessThanOrEqual(counted);
      expect(signIns.every(({ timeMs }) => Number.isSafeInteger(timeMs))).toBe(true);
    }),
  );
});
