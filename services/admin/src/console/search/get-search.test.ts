import { expect, test } from "vitest";
import type { Operator } from "../../operators/operator.ts";
import type { ApiCall } from "../../operators/operator-api.ts";
import { sampleRecord } from "../sign-ins/testing/sample-history.ts";
import { createSearch } from "./get-search.ts";

const operator: Operator = {
  account: "helen",
  role: "helpdesk",
  clientIp: "192.0.2.1",
  session: "s",
  isRoleCurrent: true,
  isProved: false,
  csrfToken: "",
  cookie: "",
  searches: ["alice", "bob", "carol"],
};

/** Only bob has the program. @param incomplete what the explanation of a name that is no account says */
function searchOf(incomplete: readonly string[]) {
  const calls: ApiCall[] = [];
  const ask = async (_operator: unknown, call: ApiCall) => {
    calls.push(call);
    const { query = "", account, program } = call.query ?? {};
    if (call.operation === "listDecisions") {
      const hasRecord = account === "bob" && (program === undefined || program === "iphone");
      return { status: 200, body: { records: hasRecord ? [sampleRecord(1, { client: "iPhone Mail" })] : [] } };
    }
    const known = query === "alice" || query === "bob" || query === "carol";
    const found = { query, kind: "account", state: known ? "working" : "unknown", verdict: "", bans: [] };
    const lists = { last_failures: [], guessing_addresses: [], other_accounts: [], incomplete };
    return { status: 200, body: { ...found, ...lists, ...(known && { account: query }) } };
  };
  return { calls, search: createSearch({ ask, clock: { now: () => 0 } }) };
}

const explained = (calls: readonly ApiCall[]) =>
  calls.filter(({ operation }) => operation === "explain").map(({ query }) => query?.["query"]);

test("of the accounts that were searched last, only the one with the program is explained", async () => {
  const { calls, search } = searchOf([]);
  const answer = await search(operator, "iphone");
  expect([answer.program?.account, answer.records.length]).toEqual(["bob", 1]);
  expect(explained(calls)).toEqual(["iphone", "bob"]);
});

test("a typing error explains nobody else", async () => {
  const { calls, search } = searchOf([]);
  const answer = await search(operator, "alcie");
  expect([answer.explanation.query, answer.program]).toEqual(["alcie", undefined]);
  expect(explained(calls)).toEqual(["alcie"]);
  // All others are answered without a record of what was read.
  const others = calls.filter(
    ({ operation, query }) => operation === "listDecisions" && query?.["account"] !== "alcie",
  );
  expect(others.every(({ query }) => query?.["program"] === "alcie")).toBe(true);
});

test("while a backend could not be queried, no other account is asked about", async () => {
  const { calls, search } = searchOf(["a backend could not be queried"]);
  await search(operator, "iphone");
  expect(calls.map(({ query }) => query?.["account"] ?? query?.["query"])).toEqual(["iphone", "iphone"]);
});
