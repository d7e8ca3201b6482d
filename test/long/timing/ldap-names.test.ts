import { Secret } from "@postern/shared/platform/crypto";
import { type Slapd, spawnSlapd } from "@postern/shared/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LdapBackend } from "../../../services/auth-engine/src/backends/ldap/ldap-backend.ts";
import { ask, exampleDirectory, within } from "../../integration/ldap/example-directory.ts";
import { areaUnderCurve, standardError, tellsApart, timesOf } from "../../support/time-difference.ts";

/** Standard error of the area: 0.017. A directory without a difference passes 0.55 by three of them. */
const pairs = 600;
const accounts = 40;

/** A hash that no password fits: what it costs is all that matters. */
const stored = (rounds: number): string => `{CRYPT}$6$rounds=${rounds}$saltsalt$${"a".repeat(86)}`;

const person = (uid: string, password: string): string => `dn: uid=${uid},ou=people,dc=example,dc=test
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
mail: ${uid}@example.test
userPassword: ${password}

`;

/** Some ten milliseconds for one half of the accounts, a quarter of that for the other. */
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

/** As the pipeline asks: a name that nobody has costs what the directory spends for it. */
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
  ["padded to what known accounts took, absence remembered", { decoyDns: [], caches }],
  ["bound as decoy entries", { decoyDns }],
])("names that nobody has, %s", (_how, settings) => {
  let backend: LdapBackend;
  const known = async (index: number) => expect(await deny(backend, `user${index % accounts}`)).toBe("wrong_password");
  const unknown = async () => expect(await deny(backend, `nobody-${(names += 1)}`)).toBe("unknown_user");

  beforeAll(async () => {
    backend = exampleDirectory([slapd.uri], settings);
    for (let index = 0; index < accounts; index += 1) await known(index);
  });
  afterAll(() => backend.close());

  test("the measurement has power: it finds a planted difference of 5 ms, and an absent DN", async () => {
    const same = await timesOf(200, { first: () => known(0), second: () => known(2) });
    expect(areaUnderCurve({ ...same, second: same.second.map((ms) => ms + 5) })).toBeGreaterThan(0.8);
    // What an observer saw while an absent DN was bound and nothing else.
    const onlyFound = await timesOf(100, {
      first: (index) => backend.lookup(ask(`nobody-${index}`), within(3000)),
      second: known,
    });
    expect(areaUnderCurve(onlyFound)).toBeGreaterThan(0.9);
  });

  test("they take what accounts take, whose hashes are of two costs", async () => {
    const times = await timesOf(pairs, { first: known, second: unknown });
    expect(3 * standardError(times)).toBeLessThan(0.052);
    expect(tellsApart(times)).toBeLessThanOrEqual(0.55);
  });

  test("and so does the second probe of each", async () => {
    const probed = Array.from({ length: pairs }, () => `nobody-${(names += 1)}`);
    for (const name of probed) await deny(backend, name);
    const times = await timesOf(pairs, { first: known, second: (index) => deny(backend, probed[index] ?? "") });
    expect(tellsApart(times)).toBeLessThanOrEqual(0.55);
  });
});
