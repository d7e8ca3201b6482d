import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SAML } from "@node-saml/node-saml";
import { type Slapd, scratchFolder, spawnSlapd } from "@postern/testing";
import { Attribute, Change, Client } from "ldapts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, createBrowser, hiddenFields } from "../../support/browser.ts";
import { callback, type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { askInTurn, type RelyingParty, relyingParty } from "../../support/relying-party.ts";
import { demoBackends, merged, type Tree } from "../../support/stack-config.ts";

const suffix = "dc=example,dc=test";
const groupsDn = `ou=groups,${suffix}`;
const staff = `cn=staff,${groupsDn}`;
const everybody = `cn=everybody,${groupsDn}`;

const unit = (name: string): string => `dn: ou=${name},${suffix}\nobjectClass: organizationalUnit\nou: ${name}\n\n`;
const person = (uid: string, ou: string, more = ""): string =>
  `dn: uid=${uid},ou=${ou},${suffix}\nobjectClass: inetOrgPerson\nuid: ${uid}\ncn: ${uid}\nsn: ${uid}\ngivenName: Named ${uid}\nmail: ${uid}@ldap.test\nou: post office\nuserPassword: ${uid}-password\n${more}\n`;
const group = (name: string, member: string): string =>
  `dn: cn=${name},${groupsDn}\nobjectClass: groupOfNames\ncn: ${name}\nmember: ${member}\n\n`;

/** One person for each strategy: anna by `search`, bert by `member_of`, cora by `hybrid`. `seeAlso` stands for memberOf. */
const ldif = [
  ...["search", "memberof", "hybrid", "groups"].map(unit),
  person("anna", "search"),
  person("bert", "memberof", `seeAlso: ${staff}\n`),
  person("cora", "hybrid", `seeAlso: ${everybody}\n`),
  group("staff", `uid=anna,ou=search,${suffix}`).replace("\n\n", `\nmember: uid=cora,ou=hybrid,${suffix}\n\n`),
  group("everybody", staff),
].join("");

const search = (ou: string, groups: Tree): Tree => ({
  protocol: ["oidc", "saml", "idp"],
  cache_name: ou,
  base_dn: `ou=${ou},${suffix}`,
  filter: { user: "(&(objectClass=inetOrgPerson)(uid=%L{user}))" },
  mapping: { account_field: "uid", display_name_field: "givenName" },
  attribute: ["mail", "ou"],
  groups: { base_dn: groupsDn, filter: "(member=%{user_dn})", attribute: "seeAlso", ...groups },
});

const backendScript = `
  local lars = { result = "ok", account = "lars", groups = { "staff", "scripted" }, attributes = { mail = "lars@lua.test", ou = "post office" } }
  function verify_password(request)
    if request.username ~= "lars" then return { result = "unknown_user" } end
    return request.password == "lars-password" and lars or { result = "wrong_password" }
  end
  function lookup(request) return request.username == "lars" and lars or { result = "unknown_user" } end`;
const subjectScript = `
  function subject(request)
    if request.decision.outcome == "ok" then return { attributes = { shard = "s1" } } end
  end`;

let slapd: Slapd;
let folder: Awaited<ReturnType<typeof scratchFolder>>;
let oidc: OidcStack;
let administrator: Client;

function backends(): Tree {
  const { sql } = Object(demoBackends(folder.path));
  const own = {
    queries: {
      user: "SELECT username AS account, password, display_name AS full_name, mail, 'post office' AS ou, NOT enabled AS disabled FROM users WHERE username = :username",
    },
    mapping: { display_name_field: "full_name" },
    attribute: ["mail", "ou"],
  };
  return {
    order: ["ldap", "sql", "lua"],
    ldap: {
      default: {
        server_uri: [slapd.uri],
        bind_dn: slapd.rootDn,
        bind_pw: slapd.rootPassword,
        membership_cache_ttl: "0s",
      },
      search: [
        search("search", { strategy: "search", release_as: "memberships" }),
        search("memberof", { strategy: "member_of" }),
        search("hybrid", { strategy: "hybrid" }),
      ],
    },
    sql: { ...sql, search: [merged(sql.search[0], own)] },
    lua: { backend: { default: { backend_script_path: join(folder.path, "backend.lua") } } },
  };
}

/** Mappings of every documented source: an attribute, groups by name and by DN. */
const mappings = [
  { claim: "department", attribute: "ou" },
  { claim: "roles", from: "groups", type: "string_array" },
  { claim: "role_dns", from: "group_dns", type: "string_array" },
  { claim: "groups", from: "groups", type: "string_array" },
];
const acs = "https://wiki.example.test/acs";

function clients(): Tree[] {
  const scopes = ["openid", "profile", "email", "groups", "offline_access", "person"];
  const rules = {
    redirect_uris: [callback],
    scopes,
    grant_types: ["authorization_code", "refresh_token"],
    skip_consent: true,
  };
  const mapped = { id_token_claims: { mappings }, access_token_claims: { mappings } };
  return [
    // The guide for Grafana adds nothing but the scope.
    { ...rules, client_id: "plain", client_secret: "plain-secret" },
    { ...rules, ...mapped, client_id: "mapped", client_secret: "mapped-secret" },
    { ...rules, ...mapped, client_id: "signed", client_secret: "signed-secret", access_token_type: "jwt" },
  ];
}

beforeAll(async () => {
  folder = await scratchFolder();
  slapd = await spawnSlapd({ ldif });
  administrator = new Client({ url: slapd.uri });
  await administrator.bind(slapd.rootDn, slapd.rootPassword);
  await writeFile(join(folder.path, "backend.lua"), backendScript);
  await writeFile(join(folder.path, "subject.lua"), subjectScript);
  const allowed = { allowed_attributes: ["mail", "ou", "groups", "memberships", "shard"] };
  oidc = await startOidcStack(
    clients(),
    { custom_scopes: [{ name: "person", description: "See your shard", claims: [{ name: "shard" }] }] },
    {
      gateway: false,
      identity: {
        saml: {
          enabled: true,
          entity_id: "http://localhost:8080/saml/metadata",
          persistent_id_secret: "a-secret-that-is-kept-for-ever",
          service_providers: [
            { entity_id: "urn:test:wiki", acs_url: acs, name_id_format: "unspecified", ...allowed },
            {
              entity_id: "urn:test:named",
              acs_url: acs,
              name_id_format: "unspecified",
              attributes: [
                { attribute: "groups", name: "isMemberOf" },
                { attribute: "group_dns", name: "memberOf" },
              ],
            },
          ],
        },
      },
      more: {
        auth: {
          backends: backends(),
          controls: {
            enabled: ["lua"],
            lua: { subject: [{ name: "s", script_path: join(folder.path, "subject.lua") }] },
          },
        },
      },
    },
  );
});

afterAll(async () => {
  await administrator.unbind();
  await oidc[Symbol.asyncDispose]();
  await slapd[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const local = (url = ""): string => url.slice(url.startsWith("http") ? new URL(url).origin.length : 0);
const scope = "openid profile email groups offline_access person";

async function signIn(party: RelyingParty, username: string, password: string, browser = createBrowser(oidc.replicas)) {
  const page = await browser.get(local((await party.authorize(browser, { scope })).location));
  const accepted = await browser.submit(page, { username, password });
  const { status, body } = await party.redeem(await browser.get(local(accepted.location)));
  expect(status).toBe(200);
  return body;
}

async function introspected(client: string, token: unknown) {
  const authorization = `Basic ${btoa(`${client}:${client}-secret`)}`;
  const form = new URLSearchParams({ token: String(token) });
  return (await askInTurn(oidc, "/oidc/introspect", { method: "POST", headers: { authorization }, body: form })).body;
}

const refreshed = async (party: RelyingParty, token: unknown) =>
  (await party.token({ grant_type: "refresh_token", refresh_token: String(token) })).body;

/** Signs in to a service provider if the browser has no session. @returns the attributes of the assertion */
async function assertion(issuer: string, browser: Browser, user: Record<string, string> = {}) {
  const metadata = (await createBrowser(oidc.replicas).get("/saml/metadata")).text;
  const sp = new SAML({
    issuer,
    callbackUrl: acs,
    entryPoint: "http://localhost:8080/saml/sso",
    idpCert: /<ds:X509Certificate>([^<]+)/.exec(metadata)?.[1] ?? "",
    idpIssuer: "http://localhost:8080/saml/metadata",
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    wantAuthnResponseSigned: true,
    wantAssertionsSigned: true,
  });
  let page = await browser.open(local(await sp.getAuthorizeUrlAsync("", undefined, {})));
  if (hiddenFields(page)["SAMLResponse"] === undefined) {
    page = await browser.open((await browser.submit(page, user)).location ?? "");
  }
  const { profile } = await sp.validatePostResponseAsync(hiddenFields(page));
  return Object(profile?.["attributes"]);
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(String).toSorted((a, b) => a.localeCompare(b)) : value;
/** node-saml returns the values of an attribute in this form. */
const single = (values: readonly string[]): unknown => (values.length > 1 ? values : values[0]);

/** User, display name, names and DNs of the groups (undefined where the backend has none), mail address, password. */
const people = [
  ["LDAP with strategy search", "anna", "Named anna", ["staff"], [staff], "anna@ldap.test", "anna-password"],
  ["LDAP with strategy member_of", "bert", "Named bert", ["staff"], [staff], "bert@ldap.test", "bert-password"],
  [
    "LDAP with strategy hybrid",
    "cora",
    "Named cora",
    ["everybody", "staff"],
    [everybody, staff],
    "cora@ldap.test",
    "cora-password",
  ],
  ["Lua", "lars", undefined, ["scripted", "staff"], [], "lars@lua.test", "lars-password"],
  ["SQL", "alice@example.test", "Alice Example", undefined, [], "alice@example.test", "alice-demo-password"],
] as const;

describe.each(people)("an account of %s", (_kind, user, name, groups, dns, email, password) => {
  const roles = groups ?? [];

  test("has its groups, name, address and script attributes at userinfo with scopes alone", async () => {
    const party = relyingParty(oidc, "plain");
    const body = await signIn(party, user, password);
    for (const token of [body["access_token"], (await refreshed(party, body["refresh_token"]))["access_token"]]) {
      const { groups: released, ...claims } = (await party.userinfo(token)).body;
      expect(claims).toMatchObject({ email, shard: "s1", ...(name !== undefined && { name }) });
      expect(sorted(released)).toEqual(groups);
    }
  });

  test.each(["mapped", "signed"])(
    "has them in the ID token, introspection and refresh of the client %s",
    async (id) => {
      const party = relyingParty(oidc, id);
      const body = await signIn(party, user, password);
      const again = await refreshed(party, body["refresh_token"]);
      const documents = [
        claimsOf(body["id_token"]),
        claimsOf(again["id_token"]),
        await introspected(id, body["access_token"]),
        await introspected(id, again["access_token"]),
        ...(id === "signed" ? [claimsOf(body["access_token"]), claimsOf(again["access_token"])] : []),
      ];
      for (const document of documents) {
        expect(document).toMatchObject({ department: "post office" });
        expect(sorted(document["roles"])).toEqual(roles);
        expect(sorted(document["role_dns"])).toEqual(dns);
        expect(sorted(document["groups"])).toEqual(roles);
      }
    },
  );

  test("has them in the assertion", async () => {
    const browser = createBrowser(oidc.replicas);
    const attributes = await assertion("urn:test:wiki", browser, { username: user, password });
    expect(attributes).toMatchObject({ mail: email, ou: "post office", shard: "s1" });
    expect(sorted(attributes.groups)).toEqual(single(roles));
    expect(attributes.memberships).toEqual(user === "anna" ? "staff" : undefined);
    const named = await assertion("urn:test:named", browser);
    expect(sorted(named.isMemberOf)).toEqual(single(roles));
    expect(sorted(named.memberOf)).toEqual(single(dns));
  });
});

test("claims are those of the last sign-in for any protocol: a group that was removed before it is not released", async () => {
  const party = relyingParty(oidc, "plain");
  const browser = createBrowser(oidc.replicas);
  const first = await signIn(party, "bert", "bert-password", browser);
  const userinfo = async (token: unknown) => (await party.userinfo(token)).body["groups"];
  expect(await userinfo(first["access_token"])).toEqual(["staff"]);
  const modification = new Attribute({ type: "seeAlso", values: [] });
  await administrator.modify(`uid=bert,ou=memberof,${suffix}`, new Change({ operation: "replace", modification }));
  const second = await refreshed(party, first["refresh_token"]);
  expect(await userinfo(second["access_token"])).toEqual(["staff"]);

  await assertion("urn:test:wiki", createBrowser(oidc.replicas), { username: "bert", password: "bert-password" });
  expect(await userinfo(second["access_token"])).toEqual([]);
  expect(await userinfo((await refreshed(party, second["refresh_token"]))["access_token"])).toEqual([]);
});
