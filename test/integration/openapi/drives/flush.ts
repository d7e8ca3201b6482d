import { alice } from "../../../support/ask-json.ts";
import { basicAuth, type Stack } from "../../../support/stack.ts";
import type { Drive, DriveParts } from "../drive.ts";

const json = (value: unknown): DriveParts => ({ body: { type: "application/json", value } });
const user = json({ user: alice.username });
const address = json({ ip_address: "203.0.113.9", rule_name: "*" });

async function jobOf({ url }: Stack): Promise<DriveParts> {
  const response = await fetch(`${url}/api/v1/cache/flush/async`, {
    method: "DELETE",
    headers: { authorization: basicAuth, "content-type": "application/json" },
    body: JSON.stringify({ user: alice.username }),
  });
  const { result }: { result: { jobId: string } } = JSON.parse(await response.text());
  return { path: { jobId: result.jobId } };
}

const flush = (operationId: string, status: number, good: DriveParts, bad: DriveParts): readonly Drive[] => [
  { operationId, status, parts: () => good },
  { operationId, status: 400, parts: () => bad, breaksSchema: true },
  { operationId, status: 401, parts: () => ({ ...good, authorization: "Basic YTpi" }) },
];

export const flushDrives: readonly Drive[] = [
  ...flush("flushUserCache", 200, user, json({ user: "*" })),
  ...flush("enqueueUserCacheFlush", 202, user, json({})),
  ...flush("flushBruteForceRule", 200, address, json({ ip_address: "203.0.113.9" })),
  ...flush("enqueueBruteForceRuleFlush", 202, address, json({ rule_name: "*" })),
  ...flush("flushDomain", 200, json({ domain: "example.test" }), json({ domain: "" })),
  { operationId: "listBruteForceEntries", status: 200, parts: () => ({}) },
  { operationId: "listBruteForceEntries", status: 200, parts: () => ({ query: { limit: "5" } }) },
  { operationId: "listFilteredBruteForceEntries", status: 200, parts: () => json({ accounts: [alice.username] }) },
  { operationId: "listFilteredBruteForceEntries", status: 400, parts: () => json({ accounts: 7 }), breaksSchema: true },
  { operationId: "readJob", status: 200, parts: jobOf },
  { operationId: "readJob", status: 404, parts: () => ({ path: { jobId: "none" } }) },
];
