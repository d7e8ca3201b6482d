import { Secret } from "@postern/shared/platform/crypto";
import { type Slapd, spawnSlapd } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { ask, exampleDirectory, within } from "../../integration/ldap/example-directory.ts";
import { areaUnderCurve, distinguishability, standardError, timesOf } from "../../support/time-difference.ts";

/** With this many pairs the standard error of the area is 0.017, so without a difference 0.55 is three of them above 0.5. */
const pairs = 600;
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
${person("decoy0", stored(20_000))}
${person("decoy1", stored(5000))}`;

let slapd: Slapd;
beforeAll(async () => {
  slapd = await spawnSlapd({ ldif, logLevel: "0" });
});
afterAll(() => slapd[Symbol.asyncDispose]());

let names = 0;

/** Denies a sign-in as the pipeline does, including the verification time that is spent on unknown users. */
async function deny(backend: LdapBackend, username: string): Promise<string> {
  const query = ask(username);
  const password = new Secret("wrong password");
  const outcome = await backend.verify(query, password, within(3000));
  if (outcome.kind === "unknown_user") await backend.spendVerification(query, password, within(3000));
  return outcome.kind;
}

const caches = { negativeTtlMs: 60_000, dnTtlMs: 0, membershipTtlMs: 0, maxEntries: 5000, evict: "ttl" } as const;
const decoyDns = [0, 1].map((index) => `uid=decoy${index},ou=people,dc=example,dc=test`);

describe.each([
  ["with a learned delay and a cache of unknown names", { decoyDns: [], caches }],
  ["with decoy entries", { decoyDns }],
])("unknown users, %s", (_how, settings) => {
  let backend: LdapBackend;
  const known = async (index: number) => expect(await deny(backend, `user${index % accounts}`)).toBe("wrong_password");
  const unknown = async () => expect(await deny(backend, `unknown-${(names += 1)}`)).toBe("unknown_user");

  beforeAll(async () => {
    backend = exampleDirectory([slapd.uri], settings);
    for (let index = 0; index < accounts; index += 1) await known(index);
  });
  afterAll(() => backend.close());

  test("the measurement detects a planted difference of 5 ms and a missing bind", async () => {
    const same = await timesOf(200, { first: () => known(0), second: () => known(2) });
    expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
    // The difference that an observer would see if unknown users were only looked up.
    const onlyFound = await timesOf(100, {
      first: (index) => backend.lookup(ask(`unknown-${index}`), within(3000)),
      second: known,
    });
    expect(areaUnderCurve(onlyFound)).toBeGreaterThan(0.9);
  });

  test("take as long as known users, whose hashes have two costs", async () => {
    const times = await timesOf(pairs, { first: known, second: unknown });
    expect(3 * standardError(times)).toBeLessThan(0.052);
    expect(distinguishability(times)).toBeLessThanOrEqual(0.55);
  });

  test("take as long as known users at the second attempt", async () => {
    const probed = Array.from({ length: pairs }, () => `unknown-${(names += 1)}`);
    for (const name of probed) await deny(backend, name);
    const times = await timesOf(pairs, { first: known, second: (index) => deny(backend, probed[index] ?? "") });
    expect(distinguishability(times)).toBeLessThanOrEqual(0.55);
  });
});
