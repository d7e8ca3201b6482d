import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

function loadedWith(settings: object) {
  const oidc = { enabled: true, issuer: "https://a.example.test", ...settings };
  const tree = { identity: { oidc }, storage: { redis: { encryption_secret: "a-secret-of-16-letters" } } };
  return loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
}

function warned(client: object): readonly string[] {
  const clients = [{ client_id: "a", redirect_uris: ["https://b.example.test"], ...client }];
  return loadedWith({ clients })
    .warnings.map(({ path }) => path)
    .filter((path) => path.endsWith(".claim"));
}

test("a claim that is mapped for all clients must belong to a scope", () => {
  const loaded = loadedWith({
    custom_scopes: [{ name: "person", claims: [{ name: "shoe" }] }],
    claim_mappings: [
      { claim: "birthdate", attribute: "b" },
      { claim: "tier", constant: 3 },
      { claim: "shoe", constant: 3 },
      { claim: "address.country", constant: "DE" },
      { claim: "email", constant: "x" },
    ],
  });
  const root = "identity.oidc.claim_mappings";
  const paths = loaded.ok ? [] : loaded.problems.map(({ path }) => path).toSorted();
  expect(paths).toEqual([`${root}[1].claim`, `${root}[3].claim`, `${root}[4].constant`]);
});

test("a mapping that no scope of the client can release is a warning", () => {
  const mappings = ["birthdate", "email", "tier"].map((claim) => ({ claim, attribute: claim }));
  const both = { id_token_claims: { mappings }, access_token_claims: { mappings } };
  const root = "identity.oidc.clients[0]";
  expect(warned(both)).toEqual([]);
  expect(warned({ ...both, scopes: ["openid"] })).toEqual([
    // Mail servers find the mailbox by `email`.
    `${root}.access_token_claims.mappings[0].claim`,
    `${root}.id_token_claims.mappings[0].claim`,
    `${root}.id_token_claims.mappings[1].claim`,
  ]);
  const person = { name: "person", claims: [{ name: "birthdate" }] };
  expect(warned({ ...both, scopes: ["openid", "email"], custom_scopes: [person] })).toEqual([]);
});
