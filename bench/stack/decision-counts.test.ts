import { describe, expect, it } from "vitest";
import { parseDecisionCounts, settledCounts } from "./decision-counts.ts";

describe("parseDecisionCounts", () => {
  it("adds up the series of each outcome, and malformed requests", () => {
    const page = `# TYPE service_auth_decisions_total counter
service_auth_decisions_total{dialect="json",operation="lookup",outcome="ok"} 40
service_auth_decisions_total{dialect="cbor",operation="authenticate",outcome="ok"} 2
service_auth_decisions_total{dialect="json",operation="authenticate",outcome="tempfail"} 7
service_engine_decision_seconds_count{operation="lookup",outcome="fail"} 99
service_auth_malformed_total{dialect="json"} 3
`;
    expect(parseDecisionCounts(page)).toEqual({ ok: 42, fail: 0, blocked: 0, tempfail: 7, malformed: 3 });
  });
});

const reading = (ok: number) => ({ ok, fail: 0, blocked: 0, tempfail: 0, malformed: 0 });

describe("settledCounts", () => {
  it("waits until two readings agree", async () => {
    const readings = [reading(1), reading(5), reading(9), reading(9), reading(100)];
    expect(await settledCounts(async () => readings.shift() ?? reading(0))).toEqual(reading(9));
  });
});
