import { expect, test } from "vitest";
import type { Channel } from "../saml-metrics.ts";
import { logoutTransactionPath, statesOf } from "./logout-transaction.ts";
import type { ServiceResult } from "./logout-transactions-redis.ts";

const deadlineMs = 1000;
const stateAt = (channel: Channel, nowMs: number, result?: ServiceResult) =>
  statesOf(
    {
      transaction: {
        deadlineMs,
        services: [{ entityId: "urn:sp", nameId: { format: "f", value: "v" }, sessionIndex: "i", channel }],
        end: { to: "place", place: "/logged-out" },
      },
      results: new Map(result === undefined ? [] : [[0, result]]),
    },
    nowMs,
  )[0];

test("a service provider may respond until the deadline; after that SOAP is retried later, and a browser logout counts as unanswered", () => {
  expect((["soap", "browser", "none"] as const).map((channel) => stateAt(channel, 999))).toEqual([
    "asking",
    "asking",
    "not_told",
  ]);
  expect((["soap", "browser", "none"] as const).map((channel) => stateAt(channel, 1000))).toEqual([
    "later",
    "no_answer",
    "not_told",
  ]);
});

test("a received response counts even after the deadline", () => {
  expect(stateAt("browser", 2000, "done")).toBe("done");
  expect(stateAt("soap", 0, "refused")).toBe("refused");
});

test("the URL of the logout page contains the encoded logout identifier", () => {
  expect(logoutTransactionPath("a&b", { frame: "1" })).toBe("/saml/slo?logout=a%26b&frame=1");
});
