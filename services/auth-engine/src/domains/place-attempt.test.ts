import { Domains, domainOfRecord, RecordCache } from "@postern/shared/domain/domains";
import { loadConfig, readDomainRecord } from "@postern/shared/platform/config";
import { systemClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { attemptOf } from "../pipeline/attempt.ts";
import { placeAttempt } from "./place-attempt.ts";

/** The domains of a source, which records the names that it was asked about. */
function source() {
  const read: string[] = [];
  const settings = { lifetimeMs: 60_000, outageLifetimeMs: 60_000, maxRecords: 9, maxUnknownPerSecond: 9 };
  const cache = new RecordCache(
    async (name) => {
      read.push(name);
      return name === "torn.test" ? undefined : domainOfRecord(readDomainRecord({ name }), "source");
    },
    settings,
    { clock: systemClock, onFailure: () => undefined },
  );
  const result = loadConfig({
    text: "{ auth: { domains: { records: [{ name: x.test }] } } }",
    env: {},
    readFile: () => "",
  });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return { domains: new Domains(result.config.auth.domains, cache), read };
}

const common = { session: "7d3f", operation: "authenticate", dialect: "json", protocol: "imap", tls: false } as const;

function masterAttempt(master: string, callerDomains?: readonly string[]) {
  const username = "ann@a.test";
  const attempt = attemptOf({
    ...common,
    username: master,
    password: "pw",
    memoryCache: true,
    sharedCache: true,
    ...(callerDomains !== undefined && { callerDomains: [...callerDomains] }),
  });
  return { ...attempt, masterLogin: { user: username, submitted: `${username}*${master}` } };
}

test("the domain of a master user outside of a caller's domains is not looked up", async () => {
  const { domains, read } = source();
  const own = await placeAttempt(masterAttempt("boss@a.test", ["a.test"]), domains);
  expect(own).toMatchObject({ username: "boss@a.test", isForeignMaster: false });
  const others = await placeAttempt(masterAttempt("boss@b.test", ["a.test"]), domains);
  expect(others).toMatchObject({ username: "boss@b.test@", isForeignMaster: true });
  expect(read).toEqual(["a.test"]);
  expect(await placeAttempt(masterAttempt("boss@b.test"), domains)).toMatchObject({ isForeignMaster: true });
  expect(read).toEqual(["a.test", "b.test"]);
});
