import { poll, type Slapd, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, exampleDirectory, exampleLdif, within } from "./example-directory.ts";

const alice = "uid=alice,ou=people,dc=example,dc=test";
const names = ["one", "two", "three"];
const groups = names.map(
  (name) => `dn: cn=${name},ou=groups,dc=example,dc=test
objectClass: groupOfNames
cn: ${name}
member: ${alice}
`,
);

let slapd: Slapd;

beforeAll(async () => {
  const folder = "dn: ou=groups,dc=example,dc=test\nobjectClass: organizationalUnit\nou: groups\n";
  slapd = await spawnSlapd({ ldif: [exampleLdif, folder, ...groups].join("\n") });
});

afterAll(() => slapd[Symbol.asyncDispose]());

test("opens idle connections before the first request, and no more than the pool allows", async () => {
  const backend = exampleDirectory([slapd.uri], {
    lookupPoolSize: 3,
    lookupIdleSize: 2,
    authPoolSize: 1,
    authIdleSize: 5,
  });
  const connections = (): readonly unknown[] =>
    Object.values(backend.snapshot()).flatMap(({ lookup, bind }) => [lookup.connections, bind.connections]);
  await poll("the idle connections", () => String(connections()) === "2,1");
  expect(connections()).toEqual([2, 1]);
  await backend.close();
});

test("keeps no connections for binds in a pool for look-ups", async () => {
  const backend = exampleDirectory([slapd.uri], { lookupIdleSize: 1, authIdleSize: 2, lookupPoolOnly: true });
  const pool = () => backend.snapshot()["default"];
  await poll("the idle connection", () => pool()?.lookup.connections === 1);
  expect(pool()?.bind.connections).toBe(0);
  await backend.close();
});

test.each([
  [undefined, "ok"],
  [3, "ok"],
  [2, "DIRECTORY_DATA"],
])("a size limit of %s on a search that finds three groups gives %s", async (searchSizeLimit, expected) => {
  const search = {
    strategy: "search",
    attribute: "memberOf",
    baseDn: "ou=groups,dc=example,dc=test",
    scope: "one",
    filter: "(member=%{user_dn})",
    nameAttribute: "cn",
    recursive: false,
    maxDepth: 1,
  } as const;
  const backend = exampleDirectory([slapd.uri], { searchSizeLimit }, { groups: search });
  const outcome = await backend.lookup(ask("alice"), within(4000)).then(
    ({ kind }) => kind,
    ({ code }: { code: string }) => code,
  );
  expect(outcome).toBe(expected);
  await backend.close();
});
