import { decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { askInTurn, relyingParty } from "../../support/relying-party.ts";
import { runOperator } from "../../support/run-operator.ts";
import { basicAuth } from "../../support/stack.ts";

/** Longer than parallel rotations take on a busy machine. */
const publishMs = 4000;
/** RSA and P-256: no client uses EdDSA. */
const kinds = 2;

let oidc: OidcStack;
/** The keys at the start. */
let before: readonly string[];

beforeAll(async () => {
  const client = {
    client_id: "m2m",
    client_secret: "m2m-secret",
    scopes: ["service:authenticate"],
    grant_types: ["client_credentials"],
  };
  oidc = await startOidcStack([client], {
    auto_key_rotation: false,
    key_publish_delay: `${publishMs}ms`,
    key_max_age: "0s",
    // Long enough that a token is checked before it expires, on a slow machine too.
    tokens: { default_access_token_lifetime: "6s" },
  });
});

afterAll(() => oidc[Symbol.asyncDispose]());

async function postern(...args: readonly string[]): Promise<{ readonly code: number | null; readonly json: unknown }> {
  const { code, out } = await runOperator(oidc.issuer, [...args, "--json"]);
  return { code, json: out === "" ? undefined : JSON.parse(out) };
}

async function kidsAt(replica: number): Promise<readonly string[]> {
  const { keys } = JSON.parse(await (await oidc.ask(replica, "/oidc/jwks")).text());
  return keys.map(({ kid }: { kid: string }) => kid).toSorted();
}

async function issued(): Promise<string> {
  const form = { grant_type: "client_credentials", scope: "service:authenticate" };
  const { body } = await relyingParty(oidc, "m2m").token(form);
  return String(body["access_token"]);
}

const isActive = async (token: string): Promise<boolean> => {
  const headers = { authorization: `Basic ${btoa("m2m:m2m-secret")}` };
  const init = { method: "POST", headers, body: new URLSearchParams({ token }) };
  return (await askInTurn(oidc, "/oidc/introspect", init)).body["active"] === true;
};

const kidOfIssued = async () => decodeProtectedHeader(await issued()).kid ?? "";

test("two operators who rotate in parallel create one successor of each key, and no token becomes invalid", async () => {
  await expect.poll(async () => (await kidsAt(0)).length).toBe(kinds);
  before = await kidsAt(0);
  const earlier = await issued();
  const rotated = await Promise.all(
    [0, 1, 0, 1].map(async (replica) => {
      const headers = { authorization: basicAuth };
      const response = await fetch(`${oidc.issuer}/api/v1/oidc/keys/rotate`, { method: "POST", headers });
      expect([replica, response.status]).toEqual([replica, 200]);
      return JSON.parse(await response.text());
    }),
  );
  expect(rotated.flatMap(({ created }) => created)).toHaveLength(kinds);
  const published = (rotated.at(-1)?.keys ?? []).map(({ kid }: { kid: string }) => kid);
  expect(published).toEqual(expect.arrayContaining([...before]));
  expect(published).toHaveLength(2 * kinds);
  for (const replica of [0, 1]) {
    await expect.poll(() => kidsAt(replica), { timeout: publishMs }).toEqual(published.toSorted());
  }
  expect(await isActive(earlier)).toBe(true);
});

test("then the successors sign", async () => {
  await expect.poll(async () => before.includes(await kidOfIssued())).toBe(false);
});

test("then the earlier keys are removed with their last token, without automatic rotation too", async () => {
  await expect.poll(async () => (await kidsAt(1)).some((kid) => before.includes(kid))).toBe(false);
});

test("postern keys lists the keys, and postern keys rotate replaces them", async () => {
  const listed = await postern("keys");
  expect(listed).toMatchObject({ code: 0, json: { keys: expect.any(Array) } });
  const { keys } = Object(listed.json);
  const signing = keys.filter(({ signs }: { signs: readonly string[] }) => signs.length > 0);
  expect(signing.flatMap(({ signs }: { signs: readonly string[] }) => signs).toSorted()).toEqual(
    ["ES256", "PS256", "RS256"].toSorted(),
  );
  expect(JSON.stringify(keys)).not.toMatch(/"(?:d|p|q)":/);
  const rotated = await postern("keys", "rotate");
  expect(rotated.code).toBe(0);
  expect(Object(rotated.json).created).toHaveLength(kinds);
  expect((await postern("keys", "remove")).code).toBe(2);
});
