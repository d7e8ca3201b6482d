import { createMetrics } from "@postern/shared/platform/metrics";
import { expect, test } from "vitest";
import { createWorkerMetrics } from "./metrics.ts";

function start() {
  const registry = createMetrics();
  const worker = createWorkerMetrics(registry, "service");
  const lines = async (name: string): Promise<readonly string[]> =>
    (await registry.expose()).split("\n").filter((line) => line.startsWith(name));
  return { worker, lines };
}

const types = ["CACHE_FLUSH", "BF_FLUSH"];
const seriesOf = (lines: readonly string[]) => lines.map((line) => line.replace(/ [\d.e+-]+$/, "")).toSorted();

const wholeJobs = types
  .flatMap((type) => ["done", "failed"].map((result) => `service_jobs_total{type="${type}",result="${result}"}`))
  .toSorted();
const wholeNotifications = ["webhook", "mail"]
  .flatMap((channel) =>
    ["delivered", "retried", "failed"].map(
      (result) => `service_notices_total{channel="${channel}",result="${result}"}`,
    ),
  )
  .toSorted();

test("all series exist from the start", async () => {
  const { lines } = start();
  expect(seriesOf(await lines("service_jobs_total"))).toEqual(wholeJobs);
  expect(seriesOf(await lines("service_notices_total"))).toEqual(wholeNotifications);
  expect(await lines("service_jobs_waiting")).toEqual(["service_jobs_waiting 0"]);
});

test("results are counted by type or channel", async () => {
  const { worker, lines } = start();
  worker.ended("BF_FLUSH", "failed", 0.02);
  worker.retried("CACHE_FLUSH");
  worker.stalled();
  worker.notified("mail", "retried");
  worker.notified("webhook", "delivered");
  worker.counted({ waiting: 3, active: 2, delayed: 1, failed: 0 }, { waiting: 5, active: 0, delayed: 4, failed: 0 });
  expect(await lines("service_jobs_total")).toContain('service_jobs_total{type="BF_FLUSH",result="failed"} 1');
  expect(await lines("service_jobs_retried_total")).toContain('service_jobs_retried_total{type="CACHE_FLUSH"} 1');
  expect(await lines("service_jobs_stalled_total")).toEqual(["service_jobs_stalled_total 1"]);
  expect(await lines("service_job_duration_seconds_count")).toContain(
    'service_job_duration_seconds_count{type="BF_FLUSH"} 1',
  );
  expect(await lines("service_notices_total")).toEqual(
    expect.arrayContaining([
      'service_notices_total{channel="mail",result="retried"} 1',
      'service_notices_total{channel="webhook",result="delivered"} 1',
    ]),
  );
  expect(await lines("service_jobs_waiting")).toEqual(["service_jobs_waiting 3"]);
  expect(await lines("service_jobs_active")).toEqual(["service_jobs_active 2"]);
  expect(await lines("service_jobs_delayed")).toEqual(["service_jobs_delayed 1"]);
  expect(await lines("service_notices_waiting")).toEqual(["service_notices_waiting 5"]);
  expect(await lines("service_notices_delayed")).toEqual(["service_notices_delayed 4"]);
});

test("unknown names in the queue create no series", async () => {
  const { worker, lines } = start();
  for (const name of ["", "x".repeat(1000), '"} 1\nforged{a="', "__proto__", "constructor"]) {
    worker.ended(name, "failed", 1);
    worker.retried(name);
    worker.notified(name, "failed");
  }
  expect(seriesOf(await lines("service_jobs_total"))).toEqual(wholeJobs);
  expect(seriesOf(await lines("service_notices_total"))).toEqual(wholeNotifications);
  expect(await lines("service_jobs_retried_total")).toHaveLength(types.length);
  expect(await lines("forged")).toEqual([]);
});
