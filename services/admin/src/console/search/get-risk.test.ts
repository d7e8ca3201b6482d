import type { Explanation, RiskExplanation } from "@postern/shared/contracts";
import type { AuditRecord } from "@postern/shared/domain/audit";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { createAuditReads } from "../audit-reads.ts";
import { getExplain, getRisk } from "./get-explain.ts";

const query = "alice@example.test";
const explanation: Explanation = {
  query,
  kind: "account",
  state: "working",
  verdict: "",
  bans: [],
  last_failures: [],
  guessing_addresses: [],
  other_accounts: [],
  incomplete: [],
};
const risk: RiskExplanation = {
  query,
  mode: "observe",
  is_learned: true,
  networks: [],
  countries: [],
  systems: [],
  protocols: [],
  clients: [],
  guessing_networks: 0,
  sign_ins: [],
  incomplete: [],
};

const explain = async () => explanation;
const explainRisk = async () => risk;

test("a request for the risk of an account is one audit record with others of the same request", async () => {
  const records: AuditRecord[] = [];
  const auditReads = createAuditReads({ record: (record) => void records.push(record) });
  await using app = Fastify({ genReqId: () => "one-request" });
  app.decorateRequest("caller", null);
  const context = { auditReads, domains: { current: undefined } };
  app.get("/explain", (request, reply) => getExplain(request, reply, { ...context, explain }));
  app.get("/risk", (request, reply) => getRisk(request, reply, { ...context, explainRisk }));
  for (const url of ["/risk", "/explain", "/risk"])
    expect((await app.inject({ url, query: { query } })).statusCode).toBe(200);
  expect(records).toEqual([expect.objectContaining({ event: "account.read", target: query, outcome: "ok" })]);
});
