import { poll } from "@postern/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { clockOffset } from "../../support/clock-offset.ts";
import { type OidcStack, startOidcStack } from "../../support/oidc-stack.ts";
import { basicAuth, type Replica } from "../../support/stack.ts";

const [minuteMs, hourMs] = [60_000, 3_600_000];
const offsetsMs = [-minuteMs, minuteMs, -hourMs, hourMs];
let oidc: OidcStack;
/** Their clocks are off by these, while those of engines, idp, admin and Redis are right. */
let gateways: readonly Replica[];

beforeAll(async () => {
  oidc = await startOidcStack(undefined, {}, { engines: 2 });
  await oidc.stack.start("admin");
  gateways = await Promise.all(offsetsMs.map((ms) => oidc.stack.startReplica("gateway", clockOffset(ms))));
  for (const { process } of gateways) {
    await poll("the heartbeat", async () => (await process.metrics()).includes("service_engines_heard 2\n"));
  }
}, 120_000);

afterAll(() => oidc[Symbol.asyncDispose]());

async function token(): Promise<string> {
  const response = await fetch(`${oidc.stack.url}/oidc/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa("demo-m2m:demo-m2m-secret")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials&scope=service:authenticate",
  });
  return String(Object(await response.json()).access_token);
}

describe.each([
  ["a minute behind", 0],
  ["a minute ahead", 1],
  ["an hour behind", 2],
  ["an hour ahead", 3],
])("a gateway %s", (_place, index) => {
  const url = (): string => gateways[index]?.url ?? "";

  test("its clock is off, as its log shows", () => {
    const [line = "{}"] = gateways[index]?.process.output().split("\n") ?? [];
    const off = Math.abs(Date.parse(JSON.parse(line).time) - Date.now());
    expect(off).toBeGreaterThan(minuteMs / 2);
  });

  test("decides: the correct password is accepted and a wrong one rejected", async () => {
    expect((await askJson(url(), alice)).status).toBe(200);
    expect((await askJson(url(), { ...alice, password: "wrong" })).status).toBe(403);
  });

  test("is believed by admin and idp", async () => {
    const headers = { authorization: basicAuth };
    expect((await fetch(`${url()}/api/v1/config/load`, { headers })).status).toBe(200);
    expect((await fetch(`${url()}/api/v1/oidc/sessions/nobody`, { headers })).status).toBe(200);
  });

  test("accepts the tokens of idp", async () => {
    const headers = { authorization: `Bearer ${await token()}` };
    expect((await askJson(url(), alice, { headers })).status).toBe(200);
  });
});
