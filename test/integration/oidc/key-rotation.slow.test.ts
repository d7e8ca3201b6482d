import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { claimsOf } from "../../support/oidc-user.ts";
import { askInTurn, relyingParty } from "../../support/relying-party.ts";

const intervalMs = 5000;
const publishMs = 2000;
const tokenSeconds = 2;

let oidc: OidcStack;

beforeAll(async () => {
  const client = {
    client_id: "m2m",
    client_secret: "m2m-secret",
    scopes: ["service:authenticate"],
    grant_types: ["client_credentials"],
  };
  const rotation = {
    key_rotation_interval: `${intervalMs}ms`,
    key_publish_delay: `${publishMs}ms`,
    key_max_age: "0s",
    tokens: { default_access_token_lifetime: `${tokenSeconds}s` },
  };
  oidc = await startOidcStack([client], rotation, { developerMode: true, gateway: false });
});

afterAll(() => oidc[Symbol.asyncDispose]());

interface KeySetAt {
  readonly atMs: number;
  readonly keys: JSONWebKeySet;
}

async function readKeySet(): Promise<KeySetAt> {
  const atMs = performance.now();
  const { keys } = (await askInTurn(oidc, "/oidc/jwks")).body;
  return { atMs, keys: Object({ keys }) };
}

const kidsOf = ({ keys }: KeySetAt): readonly string[] =>
  keys.keys.flatMap(({ kty, kid }) => (kty === "RSA" && kid !== undefined ? [kid] : []));

interface IssuedToken {
  readonly token: string;
  readonly kid: string;
  readonly exp: number;
}

async function issueToken(): Promise<IssuedToken> {
  const form = { grant_type: "client_credentials", scope: "service:authenticate" };
  const { body } = await relyingParty(oidc, "m2m").token(form);
  const token = String(body["access_token"]);
  return { token, kid: decodeProtectedHeader(token).kid ?? "", exp: Number(claimsOf(token)["exp"]) };
}

const areSame = async (): Promise<boolean> => {
  const sets = await Promise.all([0, 1].map(async (replica) => (await oidc.ask(replica, "/oidc/jwks")).text()));
  return sets[0] === sets[1];
};

test("keys rotate on schedule, are published before they sign, and remain until their last token has expired", async () => {
  const started = performance.now();
  let cached = await readKeySet();
  const [first = ""] = kidsOf(cached);
  const seen = new Set(kidsOf(cached));
  const signers = new Set<string>();
  const alive: IssuedToken[] = [];
  let published = 0;
  const step = async (): Promise<boolean> => {
    const issued = await issueToken();
    signers.add(issued.kid);
    alive.push(issued);
    // A relying party may keep the previous key set for as long as keys are published ahead.
    if (performance.now() - cached.atMs < publishMs) {
      await jwtVerify(issued.token, createLocalJWKSet(cached.keys), { issuer: oidc.issuer });
      if (issued.kid !== first) published += 1;
    }
    cached = await readKeySet();
    const kids = kidsOf(cached);
    for (const kid of kids) seen.add(kid);
    const now = Math.ceil(Date.now() / 1000);
    for (const { kid, exp } of alive) if (exp > now) expect(kids).toContain(kid);
    // On a busy machine, the first key may leave before a token of the next one was seen.
    return !kids.includes(first) && signers.size > 1 && published > 0;
  };
  await expect.poll(step, { interval: 100 }).toBe(true);
  const rotations = Math.ceil((performance.now() - started) / intervalMs);
  expect(seen.size).toBeLessThanOrEqual(1 + rotations);
  await expect.poll(areSame, { timeout: publishMs }).toBe(true);
}, 40_000);
