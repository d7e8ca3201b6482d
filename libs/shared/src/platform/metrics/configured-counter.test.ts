import { expect, test } from "vitest";
import { createMetrics } from "./registry.ts";

test("a reload adds series of new values, keeps the counts of others and removes those of former ones", async () => {
  const metrics = createMetrics();
  const requests = metrics.configuredCounter({
    name: "requests_total",
    help: "Requests",
    configured: "caller",
    labels: { result: ["admitted", "refused"] },
  });
  const lines = async (): Promise<readonly string[]> =>
    (await metrics.expose()).split("\n").filter((line) => line.startsWith("requests_total{"));
  requests.keep(["mx1", "mx2"]);
  requests.inc("mx1", { result: "admitted" });
  requests.inc("nobody", { result: "admitted" });
  expect((await lines()).toSorted()).toEqual([
    'requests_total{caller="mx1",result="admitted"} 1',
    'requests_total{caller="mx1",result="refused"} 0',
    'requests_total{caller="mx2",result="admitted"} 0',
    'requests_total{caller="mx2",result="refused"} 0',
  ]);
  requests.keep(["mx1", "mx3"]);
  requests.inc("mx1", { result: "admitted" });
  requests.inc("mx2", { result: "admitted" });
  expect((await lines()).toSorted()).toEqual([
    'requests_total{caller="mx1",result="admitted"} 2',
    'requests_total{caller="mx1",result="refused"} 0',
    'requests_total{caller="mx3",result="admitted"} 0',
    'requests_total{caller="mx3",result="refused"} 0',
  ]);
});
