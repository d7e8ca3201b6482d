import { Secret } from "@postern/shared/platform/crypto";
import { type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { ask, exampleDirectory, within } from "../../integration/ldap/example-directory.ts";
import { type DelayingProxy, startDelayingProxy } from "../../support/delaying-proxy.ts";
import {
  areaUnderCurve,
  backendDelays,
  distinguishability,
  timesOf,
  tolerated,
} from "../../support/time-difference.ts";

const accounts = 40;

/** A hash that matches no password. Only its cost matters. */
const stored = (rounds: number): string => `{CRYPT}$6$rounds=${rounds}$saltsalt$${"a".repeat(86)}`;

const person = (uid: string, password: string): string => `dn: uid=${uid},ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
mail: ${uid}@example.test
userPassword: ${password}

`;

/** Verification takes about 10 ms for one half of the accounts and a quarter of that for the other. */
const ldif = `dn: ou=people,dc=example,dc=test
objectClass: organizationalUnit
ou: people

dn: cn=reader,dc=example,dc=test
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: reader
userPassword: reader-password

${Array.from({ length: accounts }, (_, index) => person(`user${index}`, stored(index % 2 === 0 ? 20_000 : 5000))).join("")}
${Array.from({ length: accounts }, (_, index) => person(`cheap${index}`, `{SSHA}${Buffer.alloc(28, 7).toString("base64")}`)).join("")}
${person("decoy0", stored(20_000))}
${person("decoy1", stored(5000))}`;

let slapd: Slapd;
let proxy: DelayingProxy;
beforeAll(async () => {
  slapd = await spawnSlapd({ ldif, logLevel: "0" });
  proxy = await startDelayingProxy(slapd.port);
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await slapd[Symbol.asyncDispose]();
});

const timeoutMs = 10_000;
const patient = { connectTimeoutMs: timeoutMs, searchTimeoutMs: timeoutMs, bindTimeoutMs: timeoutMs };

let names = 0;

/** Denies a sign-in as the pipeline does, including the verification time that is spent on unknown users. */
async function deny(backend: LdapBackend, username: string): Promise<string> {
  const query = ask(username);
  const password = new Secret("wrong password");
  const outcome = await backend.verify(query, password, within(timeoutMs));
  if (outcome.kind === "unknown_user") await backend.spendVerification(query, password, within(timeoutMs));
  return outcome.kind;
}

const caches = { negativeTtlMs: 60_000, dnTtlMs: 0, membershipTtlMs: 0, maxEntries: 5000, evict: "ttl" } as const;
const decoyDns = [0, 1].map((index) => `uid=decoy${index},ou=people,dc=example,dc=test`);

/** A backend that has learned from all accounts, with this number of milliseconds added to each response. */
async function learned(kind: "user" | "cheap", delayMs: number, settings: Parameters<typeof exampleDirectory>[1] = {}) {
  proxy.delay(delayMs);
  const backend = exampleDirectory([`ldap://127.0.0.1:${proxy.port}`], { ...patient, ...settings });
  const known = async (index: number) =>
    expect(await deny(backend, `${kind}${index % accounts}`)).toBe("wrong_password");
  const unknown = async (name = `unknown-${(names += 1)}`) => expect(await deny(backend, name)).toBe("unknown_user");
  for (let index = 0; index < accounts; index += 1) {
    await known(index);
    await unknown();
  }
  return { backend, known, unknown, [Symbol.asyncDispose]: () => backend.close() };
}

describe.each([
  ["with a learned delay and a cache of unknown names", { decoyDns: [], caches }],
  ["with decoy entries", { decoyDns }],
])("unknown users, %s", (_how, settings) => {
  test("the measurement detects a planted difference of 5 ms and a missing bind", async () => {
    await using site = await learned("user", 0, settings);
    const { known, backend } = site;
    const same = await timesOf(200, { first: () => known(0), second: () => known(2) });
    expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
    // The difference that an observer would see if unknown users were only looked up.
    const onlyFound = await timesOf(100, {
      first: (index) => backend.lookup(ask(`unknown-${index}`), within(timeoutMs)),
      second: known,
    });
    expect(areaUnderCurve(onlyFound)).toBeGreaterThan(0.9);
  });

  test.each(backendDelays)("take as long as known users, with %i ms added to each response", async (delayMs, pairs) => {
    await using site = await learned("user", delayMs, settings);
    const times = await timesOf(pairs, { first: site.known, second: () => site.unknown() });
    expect(distinguishability(times), `area ${areaUnderCurve(times)}`).toBeLessThanOrEqual(tolerated(times));
  });

  test.each(backendDelays)("take as long at the second attempt, with %i ms added", async (delayMs, pairs) => {
    await using site = await learned("user", delayMs, settings);
    const probed = Array.from({ length: pairs }, () => `unknown-${(names += 1)}`);
    for (const name of probed) await site.unknown(name);
    const times = await timesOf(pairs, { first: site.known, second: (index) => site.unknown(probed[index]) });
    expect(distinguishability(times), `area ${areaUnderCurve(times)}`).toBeLessThanOrEqual(tolerated(times));
  });
});

test("where the server verifies {SSHA}, which costs it nothing, unknown users take as long", async () => {
  await using site = await learned("cheap", 0);
  const times = await timesOf(600, { first: site.known, second: () => site.unknown() });
  expect(distinguishability(times), `area ${areaUnderCurve(times)}`).toBeLessThanOrEqual(tolerated(times));
});
