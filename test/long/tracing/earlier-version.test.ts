import { freePort, poll } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { type ServiceName, type ServiceProcess, startService, untilReady } from "../../support/service-process.ts";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";
import { startTraceReceiver, type TraceReceiver } from "../../support/trace-receiver.ts";
import {
  beforeTraces,
  buildEarlierVersion,
  configBeforeTraces,
  type EarlierVersion,
} from "../outages/earlier-version.ts";

let earlier: EarlierVersion;
let receiver: TraceReceiver;
let stack: Stack;
let configFile: string;
let engine: ServiceProcess;

async function startEarlier(name: ServiceName, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const options = { configFile, privatePort: await freePort(), env, copy: earlier.copy };
  const service = await startService(name, options);
  await untilReady(service);
  return service;
}

beforeAll(async () => {
  earlier = await buildEarlierVersion(beforeTraces);
  receiver = await startTraceReceiver();
  stack = await startStack({
    redis: true,
    engines: 0,
    settings: {
      auth: { controls: { enabled: ["brute_force"] } },
      observability: { tracing: { enabled: true, endpoint: receiver.url } },
    },
  });
  configFile = await configBeforeTraces(stack);
  engine = await startEarlier("auth-engine");
}, 300_000);

afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await earlier[Symbol.asyncDispose]();
});

const traceOf = (place: number): string => String(place).padStart(32, "0");

async function ask(url: string, traceId: string, password: string = alice.password): Promise<number> {
  const headers = { authorization: basicAuth, traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  return (await askJson(url, { ...alice, password }, { headers })).status;
}

const spansIn = (traceId: string): readonly string[] =>
  receiver.spans.filter((span) => span.traceId === traceId).map(({ service, name }) => `${service} ${name}`);

const ofGateway = ["postern-gateway POST /api/v1/auth/json", "postern-gateway auth-engine/authenticate"];

const isRight = (place: number): boolean => place % 2 === 0;

test("an engine of a version without traces decides traced requests, including those that share a message", async () => {
  const places = Array.from({ length: 40 }, (_, place) => place + 1);
  const statuses = await Promise.all(
    places.map((place) => ask(stack.url, traceOf(place), isRight(place) ? alice.password : `wrong-${place}`)),
  );
  expect(statuses).toEqual(places.map((place) => (isRight(place) ? 200 : 403)));
  for (const place of places) {
    await poll("the gateway's spans", () => spansIn(traceOf(place)).length >= ofGateway.length);
    expect(spansIn(traceOf(place)).toSorted()).toEqual(ofGateway);
  }
});

test("an engine with traces decides requests of a gateway without them, and sends no span for them", async () => {
  await stack.startEngine();
  expect(await engine.stop()).toBe(0);
  const address = `127.0.0.1:${await freePort()}`;
  await using _ = await startEarlier("gateway", { SERVICE_RUNTIME_SERVERS_HTTP_ADDRESS: address });
  const url = `http://${address}`;
  expect([await ask(url, traceOf(101)), await ask(url, traceOf(101), "wrong")]).toEqual([200, 403]);
  expect(await ask(stack.url, traceOf(102))).toBe(200);
  await poll("the spans of both sides", () =>
    spansIn(traceOf(102)).includes("postern-auth-engine auth-engine/authenticate"),
  );
  expect(spansIn(traceOf(101))).toEqual([]);
}, 120_000);
