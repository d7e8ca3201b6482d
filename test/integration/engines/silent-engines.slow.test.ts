import { poll } from "@postern/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createBrowser } from "../../support/browser.ts";
import type { ServiceProcess } from "../../support/service-process.ts";
import { type IdpStack, startIdpStack } from "../idp/idp-stack.ts";

/** With a deadline of this length, a response at the deadline cannot be taken for one that the engines' silence caused. */
const decisionMs = 40_000;
const alice = { username: "alice@example.test", password: "alice-demo-password" };

let idp: IdpStack;
let admin: ServiceProcess;

beforeAll(async () => {
  idp = await startIdpStack(
    {
      runtime: { timeouts: { decision: `${decisionMs}ms` } },
      auth: {
        backchannel: {
          jwt: { enabled: true, secret_key: "test-jwt-secret-key-of-32-characters", directory_roles: ["authenticate"] },
        },
      },
    },
    { shape: "five" },
  );
  await idp.stack.startEngine();
  admin = await idp.stack.start("admin");
  for (const service of [idp.first, idp.second, admin]) await enginesHeard(service, 2);
});

afterAll(() => idp[Symbol.asyncDispose]());

afterEach(async () => {
  for (const engine of idp.stack.engines) engine.signal("SIGCONT");
  for (const service of [idp.first, idp.second, admin]) await enginesHeard(service, 2);
});

function enginesHeard(service: ServiceProcess, count: number): Promise<true> {
  return poll(`heartbeats of ${count} engines`, async () =>
    (await service.metrics()).includes(`service_engines_heard ${count}\n`),
  );
}

async function failed(service: ServiceProcess, code: string): Promise<number> {
  const series = new RegExp(`service_bus_requests_failed_total\\{code="${code}"\\} (\\d+)`);
  return Number(series.exec(await service.metrics())?.[1] ?? 0);
}

function freeze(): void {
  for (const engine of idp.stack.engines) engine.signal("SIGSTOP");
}

describe("with both engines frozen (SIGSTOP)", () => {
  test("a sign-in is answered with the page of an outage because the engines are silent, not at the deadline", async () => {
    const browser = createBrowser(idp.replicas);
    const login = await browser.open("/mfa/register/home");
    freeze();
    const answer = await browser.submit(login, alice);
    expect([answer.status, answer.text]).toEqual([500, expect.stringContaining("Temporarily unavailable")]);
    expect(browser.cookies.has("service_session")).toBe(false);
    expect((await failed(idp.first, "ENGINE_SILENT")) + (await failed(idp.second, "ENGINE_SILENT"))).toBe(1);
    expect(await failed(idp.first, "DEADLINE_EXCEEDED")).toBe(0);
    expect(await failed(idp.second, "DEADLINE_EXCEEDED")).toBe(0);
  });

  test("a sign-in that begins when they are known to be silent does not wait for the deadline either", async () => {
    freeze();
    for (let index = 0; index < 3; index += 1) {
      const browser = createBrowser([idp.replicas[0] ?? ""]);
      const login = await browser.open("/mfa/register/home");
      expect((await browser.submit(login, alice)).status).toBe(500);
    }
    expect(await failed(idp.first, "DEADLINE_EXCEEDED")).toBe(0);
  });

  test("the same sign-in succeeds when they resume", async () => {
    const browser = createBrowser(idp.replicas);
    const login = await browser.open("/mfa/register/home");
    freeze();
    expect((await browser.submit(login, alice)).status).toBe(500);
    for (const engine of idp.stack.engines) engine.signal("SIGCONT");
    for (const service of [idp.first, idp.second]) await enginesHeard(service, 2);
    expect((await browser.submit(login, alice)).status).toBe(302);
  });

  test("a login at the JWT endpoint is a temporary failure, and does not wait for the deadline", async () => {
    freeze();
    const response = await fetch(`${idp.stack.url}/api/v1/jwt/token`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(alice),
    });
    expect(response.status).toBe(500);
    expect(await failed(admin, "ENGINE_SILENT")).toBe(1);
    expect(await failed(admin, "DEADLINE_EXCEEDED")).toBe(0);
  });
});
