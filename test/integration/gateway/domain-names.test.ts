import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Slapd, scratchFolder, spawnSlapd } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askJson } from "../../support/ask-json.ts";
import { demoSeedFile } from "../../support/demo-users.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";

const suffix = "dc=example,dc=test";
const [ascii, unicode] = ["xn--bcher-kva.example", "bücher.example"];
const password = "alice-demo-password";

const person = (uid: string, mail: string): string =>
  `dn: uid=${uid},${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn:: ${Buffer.from(mail).toString("base64")}\nsn: ${uid}\nuserPassword: ${password}\n\n`;
const ldif = `${person("lina", `lina@${ascii}`)}${person("lena", `lena@${unicode}`)}`;

const script = `
  local users = { ["mara@${ascii}"] = true, ["mona@${unicode}"] = true }
  local function find(request)
    if not users[request.username] then return { result = "unknown_user" } end
    return { result = "ok", account = request.username, account_field = "username" }
  end
  function verify_password(request)
    local found = find(request)
    if found.result == "ok" and request.password ~= "${password}" then return { result = "wrong_password" } end
    return found
  end
  lookup = find`;

let slapd: Slapd;
let stack: Stack;
let folder: Awaited<ReturnType<typeof scratchFolder>>;

beforeAll(async () => {
  folder = await scratchFolder();
  slapd = await spawnSlapd({ ldif });
  const seed = await readFile(demoSeedFile, "utf8");
  const hash = /\('alice@example\.test',\s+'([^']+)'/.exec(seed)?.[1] ?? "";
  const row = (name: string): string => `('${name}', '${hash}', 'x', '${name}', '${name}')`;
  const rows = [`sara@${ascii}`, `sina@${unicode}`, `gone@${ascii}`].map((name) => row(name)).join();
  const seedFile = join(folder.path, "seed.sql");
  await writeFile(
    seedFile,
    `${seed}\nINSERT INTO users (username, password, display_name, mail, uid) VALUES ${rows};\n`,
  );
  await writeFile(join(folder.path, "backend.lua"), script);
  const { sql } = Object(demoBackends(folder.path));
  const ldapSearch = {
    protocol: ["imap"],
    cache_name: "mail",
    base_dn: suffix,
    filter: { user: "(&(objectClass=inetOrgPerson)(cn=%L{user}))" },
    mapping: { account_field: "cn" },
  };
  stack = await startStack({
    backends: {
      order: ["ldap", "sql", "lua"],
      ldap: {
        default: { server_uri: [slapd.uri], bind_dn: slapd.rootDn, bind_pw: slapd.rootPassword },
        search: [ldapSearch],
      },
      sql: { ...sql, default: { ...sql.default, seed_file: seedFile } },
      lua: { backend: { default: { backend_script_path: join(folder.path, "backend.lua") } } },
    },
    settings: {
      auth: {
        controls: { enabled: ["relay_domains"], relay_domains: { static: [unicode, "example.test"] } },
        policy: {
          mode: "enforce",
          policies: [
            {
              name: "gone",
              operations: ["authenticate"],
              if: { attribute: "request.username", in: [`gone@${unicode}`] },
              // oxlint-disable-next-line unicorn/no-thenable -- a key of the configuration is named so
              then: { decision: "deny" },
            },
          ],
        },
      },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await slapd[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const login = (username: string, secret = password) =>
  askJson(stack.url, { username, password: secret, protocol: "imap", client_ip: "203.0.113.9" });

const accounts = [
  ["LDAP", "lina", ascii],
  ["LDAP", "lena", unicode],
  ["SQL", "sara", ascii],
  ["SQL", "sina", unicode],
  ["Lua", "mara", ascii],
  ["Lua", "mona", unicode],
] as const;

describe.each(accounts)("an account of %s, %s@%s", (_backend, local, stored) => {
  test.each([ascii, unicode, "BÜCHER.example", "bu\u0308cher.example"])("signs in as …@%s", async (domain) => {
    const answer = await login(`${local}@${domain}`);
    expect([answer.status, answer.headers.get("auth-user")?.endsWith(ascii)]).toEqual([200, stored === ascii]);
    expect((await login(`${local}@${domain}`, "wrong")).status).toBe(403);
  });

  test("has one cached result for all forms", async () => {
    await login(`${local}@${ascii}`);
    expect((await login(`${local}@${unicode}`)).headers.get("x-service-memory-cache")).toBe("Hit");
  });
});

test("an unknown name is denied in both forms, and so is another domain", async () => {
  const names = [`nobody@${ascii}`, `nobody@${unicode}`, "sara@xn--bcher-lva.example"];
  expect(await Promise.all(names.map(async (name) => (await login(name)).status))).toEqual([403, 403, 403]);
});

test("a policy that names an account applies to both forms", async () => {
  const names = [`gone@${ascii}`, `gone@${unicode}`];
  expect(await Promise.all(names.map(async (name) => (await login(name)).status))).toEqual([403, 403]);
});
