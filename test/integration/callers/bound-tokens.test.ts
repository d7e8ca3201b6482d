import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { type CallersStack, startCallersStack } from "../../support/callers-stack.ts";

let stack: CallersStack;

beforeAll(async () => {
  stack = await startCallersStack();
});

afterAll(() => stack[Symbol.asyncDispose]());

const challenge =
  'Basic realm="postern", charset="UTF-8", Bearer realm="postern", error="invalid_token"' +
  ', error_description="tokens that are bound to a key are not accepted: ' +
  'request one without a DPoP proof or client certificate"';

async function ask(authorization: string) {
  const response = await fetch(`${stack.url}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization, dpop: "proof.of.possession", "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  return { status: response.status, body: await response.text(), challenge: response.headers.get("www-authenticate") };
}

const thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I";

describe("API callers with tokens that are bound to a key", () => {
  test.each([
    ["a token bound to a DPoP key", "DPoP", { cnf: { jkt: thumbprint } }],
    ["a token bound to a DPoP key, as a bearer token", "Bearer", { cnf: { jkt: thumbprint } }],
    ["a token bound to a certificate", "Bearer", { cnf: { "x5t#S256": thumbprint } }],
    ["a token that is not bound, with the scheme DPoP", "dpop", {}],
    ["a token for another audience, with the scheme DPoP", "DPoP", { aud: "demo-web" }],
  ])("401 that tells the client to request another one: %s", async (_what, scheme, claims) => {
    const answer = await ask(`${scheme} ${await stack.issuer.token(claims)}`);
    expect(answer).toEqual({ status: 401, body: "", challenge });
  });

  test("an invalid token is refused alike with both schemes, and a token that is not bound is accepted as Bearer", async () => {
    const [expired, valid] = await Promise.all([
      stack.issuer.token({ exp: 1_700_000_000, cnf: { jkt: thumbprint } }),
      stack.issuer.token(),
    ]);
    const refusals = await Promise.all(["DPoP", "Bearer"].map((scheme) => ask(`${scheme} ${expired}`)));
    for (const { status, challenge: named } of refusals) {
      expect([status, named]).toEqual([401, expect.stringMatching(/Bearer realm="postern", error="invalid_token"$/)]);
    }
    expect((await ask(`Bearer ${valid}`)).status).toBe(200);
    expect((await ask("DPoP")).status).toBe(401);
  });

  test("metrics and log name the reason", async () => {
    expect(await stack.gateway.metrics()).toMatch(/backchannel_caller_auth_total\{outcome="bound_token"\} [1-9]/);
    expect(stack.gateway.output()).toContain('"reason":"bound_token"');
  });
});
