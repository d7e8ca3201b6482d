import { Domains, domainOfRecord, RecordCache } from "@postern/shared/domain/domains";
import { loadConfig, readDomainRecord } from "@postern/shared/platform/config";
import { steadyClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { placeAttempt } from "../../../services/auth-engine/src/domains/place-attempt.ts";
import { type Attempt, attemptOf } from "../../../services/auth-engine/src/pipeline/attempt.ts";

const common = { session: "7d3f", operation: "authenticate", dialect: "json", protocol: "imap", tls: false } as const;
const request = { ...common, password: "pw", memoryCache: true, sharedCache: true };

/** 50 domains of the configuration, of which half the names are, and a source. */
function site(): Domains {
  const records = Array.from({ length: 50 }, (_value, index) => `{ name: r${index}.test, aliases: [a${index}.test] }`);
  const text = `{ auth: { domains: { records: [${records.join()}] } } }`;
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const limits = { lifetimeMs: 600_000, outageLifetimeMs: 600_000, maxRecords: 20_000, maxUnknownPerSecond: 1 };
  const cache = new RecordCache(async (name) => domainOfRecord(readDomainRecord({ name }), "source"), limits, {
    clock: steadyClock,
    onFailure: () => undefined,
  });
  return new Domains(result.config.auth.domains, cache);
}

/** Microseconds for one attempt, in the best of many rounds: other programs can only add to it. */
function microsecondsEach(attempts: readonly Attempt[], domains: Domains | undefined): number {
  const rounds = Array.from({ length: 100 }, () => {
    let placed = 0;
    const started = performance.now();
    for (const attempt of attempts) placed += placeAttempt(attempt, domains) instanceof Promise ? 0 : 1;
    const ms = performance.now() - started;
    expect(placed).toBe(attempts.length);
    return (ms * 1000) / attempts.length;
  });
  return Math.min(...rounds);
}

test("placing a name of a domain that is in memory costs less than a microsecond", async () => {
  const domains = site();
  const attempts = Array.from({ length: 10_000 }, (_value, index) => {
    const domain = index % 2 === 0 ? `r${index % 50}.test` : `s${index}.test`;
    return attemptOf({ ...request, username: `user${index}@${domain}` });
  });
  for (const attempt of attempts) await placeAttempt(attempt, domains);
  expect(microsecondsEach(attempts, domains) - microsecondsEach(attempts, undefined)).toBeLessThan(1);
});
