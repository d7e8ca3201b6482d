import { poll } from "@postern/testing";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice } from "../../support/ask-json.ts";
import { type OidcStack, startOidcStack, testClients } from "../../support/oidc-stack.ts";

let oidc: OidcStack;

beforeAll(async () => {
  oidc = await startOidcStack(undefined, {}, { audience: "mail-api" });
});

afterAll(() => oidc[Symbol.asyncDispose]());

async function tokenOf(id: string): Promise<string | undefined> {
  const response = await fetch(`${oidc.issuer}/oidc/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`${id}:${id}-secret`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "service:authenticate" }),
  });
  const { access_token: token } = Object(await response.json());
  return typeof token === "string" ? token : undefined;
}

test("a client's token has the configured audience of the back channel, and the gateway accepts it", async () => {
  const token = (await tokenOf("demo-m2m")) ?? "";
  expect(decodeJwt(token).aud).toBe("mail-api");
  const answer = await fetch(`${oidc.issuer}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(alice),
  });
  await answer.arrayBuffer();
  expect(answer.status).toBe(200);
});

test("a reload does not change the audience, which the gateway keeps until its restart", async () => {
  const late = { client_id: "late", client_secret: "late-secret", scopes: ["service:authenticate"] };
  const clients = [...testClients, { ...late, grant_types: ["client_credentials"] }];
  const audience = { auth: { backchannel: { oidc_bearer: { audience: "another" } } } };
  await oidc.stack.writeSettings({ ...audience, identity: { oidc: { clients } } });
  oidc.stack.services.get("idp")?.signal("SIGHUP");
  const token = await poll("the reload to apply", () => tokenOf("late"));
  expect(decodeJwt(token).aud).toBe("mail-api");
});
