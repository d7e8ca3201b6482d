import { poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBrowser, hiddenFields } from "../../support/browser.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { type ReceivedSpan, startTraceReceiver, type TraceReceiver } from "../../support/trace-receiver.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const from = (traceId: string, flags = "01"): string => `00-${traceId}-b7ad6b7169203331-${flags}`;
const traceOf = (place: number): string => String(place).padStart(32, "0");
const alice = { username: "alice@example.test", password: "alice-demo-password" };
const canary = { username: "canary-user-51c9@example.test", password: "canary-password-0d7a" };
const token = "canary-receiver-token-9be1";

let receiver: TraceReceiver;
let stack: Stack;

beforeAll(async () => {
  receiver = await startTraceReceiver();
  stack = await startStack({
    shape: "five",
    redis: true,
    engines: 2,
    services: ["idp", "admin"],
    settings: {
      auth: { controls: { enabled: ["brute_force"] } },
      observability: {
        tracing: { enabled: true, endpoint: receiver.url, authorization: `Bearer ${token}`, sampler_ratio: 0 },
      },
      // The test is a trusted proxy only where it comes from this address.
      runtime: { developer_mode: true, servers: { http: { trusted_proxies: ["127.0.0.2"] } } },
      identity: { frontend: { enabled: true }, oidc: { issuer: "http://localhost:8080" } },
    },
  });
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

const spansIn = (traceId: string): readonly ReceivedSpan[] => receiver.spans.filter((span) => span.traceId === traceId);
const namesIn = (traceId: string): readonly string[] =>
  spansIn(traceId).map(({ service, name }) => `${service} ${name}`);

const callsIn = (traceId: string) => spansIn(traceId).filter(({ name }) => name === "auth-engine/authenticate");

const counted = async (result: string): Promise<number> => {
  const line = new RegExp(`^service_trace_spans_total\\{result="${result}"\\} (\\d+)$`, "m");
  return Number(line.exec(await stack.gateway.metrics())?.[1]);
};

function ask(traceparent: string, user: object = alice, headers: Readonly<Record<string, string>> = {}) {
  return fetch(`${stack.url}/api/v1/auth/json`, {
    method: "POST",
    headers: { authorization: basicAuth, "content-type": "application/json", traceparent, ...headers },
    body: JSON.stringify({ ...user, protocol: "imap", client_ip: "192.0.2.9" }),
  });
}

test("a decision is one trace: the caller's, through gateway, bus, engine, Redis and backend", async () => {
  const response = await ask(from(trace));
  expect(response.status).toBe(200);
  await poll("all spans", () => namesIn(trace).includes("postern-gateway POST /api/v1/auth/json"));
  const expected = [
    "postern-gateway POST /api/v1/auth/json",
    "postern-gateway auth-engine/authenticate",
    "postern-auth-engine auth-engine/authenticate",
    "postern-auth-engine sql verify",
    "postern-auth-engine redis evalsha",
  ];
  await poll("the spans of all services", () => expected.every((name) => namesIn(trace).includes(name)));
  const spans = spansIn(trace);
  const [root, ...others] = spans.filter(({ parentSpanId }) => parentSpanId === "b7ad6b7169203331");
  expect([root?.name, others]).toEqual(["POST /api/v1/auth/json", []]);
  const known = new Set(spans.map(({ spanId }) => spanId));
  const orphans = spans.filter((span) => span !== root && !known.has(span.parentSpanId));
  expect(orphans).toEqual([]);
  expect(root?.attributes).toMatchObject({
    "http.route": "/api/v1/auth/json",
    "http.response.status_code": 200,
    "postern.session": response.headers.get("x-service-session"),
  });
  const decided = spans.find(({ service, name }) => `${service} ${name}` === expected[2]);
  expect(decided?.attributes["postern.outcome"]).toBe("ok");
});

test("requests that share a message keep their own traces", async () => {
  const traces = Array.from({ length: 40 }, (_, place) => traceOf(place + 1));
  await Promise.all(traces.map((traceId, place) => ask(from(traceId), { ...alice, password: `wrong-${place}` })));
  await poll("the spans of both sides", () => traces.every((traceId) => callsIn(traceId).length === 2));
  for (const traceId of traces) {
    const [sent, served] = callsIn(traceId).toSorted(({ service: one }, { service: other }) =>
      other.localeCompare(one),
    );
    expect([sent?.service, served?.service]).toEqual(["postern-gateway", "postern-auth-engine"]);
    expect(served?.parentSpanId).toBe(sent?.spanId);
  }
});

test("a sign-in at idp continues the trace of a trusted proxy, down to the engine and Redis", async () => {
  const gateway = await stack.startReplica("gateway", { SERVICE_RUNTIME_SERVERS_HTTP_TRUSTED_PROXIES: "127.0.0.1" });
  const signIn = traceOf(501);
  const browser = createBrowser([gateway.url]);
  const page = await browser.open("/mfa/register/home");
  const answer = await browser.send(page.url, {
    method: "POST",
    body: new URLSearchParams({ ...hiddenFields(page), ...alice }),
    headers: { traceparent: from(signIn) },
  });
  expect(answer.status).toBe(302);
  const expected = [
    "postern-gateway POST /login",
    "postern-idp POST /login",
    "postern-idp redis evalsha",
    "postern-idp auth-engine/authenticate",
    "postern-auth-engine auth-engine/authenticate",
    "postern-auth-engine redis mget",
  ];
  await poll("the spans of all services", () => expected.every((name) => namesIn(signIn).includes(name)));
  const spans = spansIn(signIn);
  const known = new Set(spans.map(({ spanId }) => spanId));
  expect(spans.filter(({ parentSpanId }) => !known.has(parentSpanId)).map(({ name }) => name)).toEqual(["POST /login"]);
});

test("a management request continues its caller's trace", async () => {
  const config = traceOf(502);
  const headers = { authorization: basicAuth, traceparent: from(config) };
  expect((await fetch(`${stack.url}/api/v1/config/load`, { headers })).status).toBe(200);
  await poll("admin's span", () => namesIn(config).includes("postern-admin GET /api/v1/config/load"));
});

test("unauthenticated clients can neither name a trace nor cause one, and callers can decide against it", async () => {
  const before = receiver.spans.length;
  const [browser, wrong, unsampled, malformed, marker] = [601, 602, 603, 604, 605].map(traceOf);
  await fetch(`${stack.url}/mfa/register/home`, { redirect: "manual", headers: { traceparent: from(browser ?? "") } });
  const stranger = { authorization: `Basic ${btoa("backchannel:wrong")}` };
  expect((await ask(from(wrong ?? ""), alice, stranger)).status).toBe(401);
  expect((await ask(from(unsampled ?? "", "00"))).status).toBe(200);
  // The header is not valid, so the request begins a trace of its own, and the ratio is 0.
  expect((await ask(`${from(malformed ?? "")}-appendix`)).status).toBe(200);
  await ask(from(marker ?? ""));
  await poll("the last trace", () => namesIn(marker ?? "").includes("postern-gateway POST /api/v1/auth/json"));
  const others = receiver.spans.slice(before).filter(({ traceId }) => traceId !== marker && traceId !== traceOf(502));
  expect(others).toEqual([]);
});

test("no span contains a credential or the name of a user", async () => {
  const traceId = traceOf(701);
  const headers = { traceparent: from(traceId), authorization: basicAuth };
  await ask(from(traceId), canary);
  await fetch(`${stack.url}/api/v1/auth/header`, {
    headers: { ...headers, "auth-user": canary.username, "auth-pass": canary.password, "auth-protocol": "imap" },
  });
  await fetch(`${stack.url}/api/v1/mfa-backchannel/totp?username=${canary.username}`, { method: "DELETE", headers });
  await fetch(`${stack.url}/api/v1/cache/flush`, {
    method: "DELETE",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ user: canary.username }),
  });
  await fetch(`${stack.url}/api/v1/jwt/token`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(canary),
  });
  await poll("the span of the flush", () => namesIn(traceId).includes("postern-admin DELETE /api/v1/cache/flush"));
  const callersPassword = atob(basicAuth.slice("Basic ".length)).split(":")[1] ?? "";
  const text = receiver.texts.join("\n");
  expect(text).toContain("DELETE /api/v1/cache/flush");
  expect(text.split(`Bearer ${token}`).length - 1).toBe(receiver.texts.length);
  const canaries = [canary.username, canary.password, "canary-user", alice.username, alice.password, callersPassword];
  expect(canaries.filter((secret) => text.includes(secret))).toEqual([]);
});

test("histograms show the traces of slow requests to a scraper that reads OpenMetrics", async () => {
  const traceId = traceOf(801);
  await ask(from(traceId));
  const page = await fetch(`http://127.0.0.1:${stack.gateway.privatePort}/metrics`, {
    headers: { accept: "application/openmetrics-text" },
  });
  expect(page.headers.get("content-type")).toContain("application/openmetrics-text");
  expect(await page.text()).toMatch(
    new RegExp(`^service_auth_decision_seconds_bucket\\{[^}]*\\} \\d+ # \\{trace_id="${traceId}"\\} `, "m"),
  );
});

test("a receiver that hangs costs no decision", async () => {
  receiver.hang();
  expect((await ask(from(traceOf(901)))).status).toBe(200);
  await poll("the spans that the receiver did not take", async () => (await counted("failed")) > 0);
  expect((await ask(from(traceOf(902)))).status).toBe(200);
});

test("a receiver that is gone costs no decision", async () => {
  await receiver[Symbol.asyncDispose]();
  const before = await counted("failed");
  await poll("spans without a receiver", async () => {
    expect((await ask(from(traceOf(903)))).status).toBe(200);
    return (await counted("failed")) > before;
  });
  // Once, when the receiver began to hang.
  expect(stack.gateway.output().split("the trace collector accepts no spans").length - 1).toBe(1);
});
