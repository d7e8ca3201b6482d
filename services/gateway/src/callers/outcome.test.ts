import { describe, expect, test } from "vitest";
import { type CallerAuthOutcome, callerAuthOutcomeNames, type OutcomeRow, outcomeRow } from "./outcome.ts";

/** The outcomes of caller authentication, copied from the HTTP interface's specification. */
const contractTable = `
| Missing credentials, wrong Basic credentials, unknown/expired/revoked/denylisted/wrongly signed token | 401 | UNAUTHENTICATED | yes |
| Valid token lacking the base or route scope | 403 | PERMISSION_DENIED | no |
| Valid token that is not a backchannel access token | 401 | UNAUTHENTICATED | gRPC only |
| Missing token on a custom hook route | 401 | none | no |
| Token state or signing keys unreachable, or (gRPC) validator not configured | 503 with Retry-After | UNAVAILABLE | no |
| Caller request canceled or past deadline while token state is read | 503 | CANCELED / DEADLINE_EXCEEDED | no |
`;

const outcomesOfRow: readonly (readonly CallerAuthOutcome[])[] = [
  ["missing", "bad_basic", "foreign_network", "bad_token"],
  ["missing_scope"],
  ["wrong_token_type", "bound_token"],
  ["missing_on_hook"],
  ["unavailable"],
  ["canceled", "deadline_exceeded"],
];

const contractRows = contractTable
  .trim()
  .split("\n")
  .map((line, index) => {
    const [meaning = "", http = "", grpc = "", delayed = ""] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { meaning, http, grpc, delayed, outcomes: outcomesOfRow[index] ?? [] };
  });

function delayedCell({ delayedOnHttp, delayedOnGrpc }: OutcomeRow): string {
  if (delayedOnHttp) return delayedOnGrpc ? "yes" : "HTTP only";
  return delayedOnGrpc ? "gRPC only" : "no";
}

describe("the table of outcomes", () => {
  test.each(contractRows)("$meaning", ({ http, grpc, delayed, outcomes }) => {
    expect(outcomes.length).toBeGreaterThan(0);
    const rows = outcomes.map(outcomeRow);
    for (const row of rows) {
      expect(row.httpStatus).toBe(Number.parseInt(http, 10));
      expect(delayedCell(row)).toBe(delayed);
      if (http.includes("with Retry-After")) expect(row.retryAfter).toBe(true);
    }
    expect([...new Set(rows.map(({ grpcCode }) => grpcCode))].join(" / ")).toBe(grpc);
  });

  test("each rejecting outcome belongs to one row, except those that other rules define", () => {
    const refusing = callerAuthOutcomeNames.filter((name) => outcomeRow(name).httpStatus !== 200);
    expect(refusing.toSorted()).toEqual(
      [...outcomesOfRow.flat(), "operation_denied", "not_configured", "budget_exhausted"].toSorted(),
    );
  });

  test("failures take a token from the budget, a 503 and a success do not", () => {
    expect(callerAuthOutcomeNames.filter((name) => outcomeRow(name).spendsBudget)).toEqual([
      "missing",
      "bad_basic",
      "foreign_network",
      "bad_token",
      "wrong_token_type",
      "bound_token",
      "missing_scope",
      "not_configured",
    ]);
  });

  test("without auth.backchannel the response is 401 after the delay, and on gRPC the code for an unconfigured validator", () => {
    const row = outcomeRow("not_configured");
    expect([row.httpStatus, row.delayedOnHttp]).toEqual([401, true]);
    expect([row.grpcCode, row.delayedOnGrpc]).toEqual(["UNAVAILABLE", false]);
  });

  test("an operation outside the caller's list is 403, and PERMISSION_DENIED on gRPC, without a delay", () => {
    const row = outcomeRow("operation_denied");
    expect([row.httpStatus, row.grpcCode, delayedCell(row)]).toEqual([403, "PERMISSION_DENIED", "no"]);
  });

  test("an empty budget is 429 immediately, but not on gRPC", () => {
    const row = outcomeRow("budget_exhausted");
    expect([row.httpStatus, row.grpcCode, delayedCell(row), row.retryAfter]).toEqual([429, "none", "no", true]);
  });

  test("only rejections after an evaluation have a reason in the log", () => {
    for (const name of callerAuthOutcomeNames) {
      const row = outcomeRow(name);
      expect([name, row.logReason !== "none"]).toEqual([name, [401, 403, 503].includes(row.httpStatus)]);
    }
  });
});
