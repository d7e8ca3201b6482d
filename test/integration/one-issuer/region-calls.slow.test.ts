import { forwardRequest, readTokenRecord } from "@postern/shared/contracts";
import { createLostPhoneCodes } from "@postern/shared/domain/lost-phone";
import { RegionCalls, regionCallsPurpose } from "@postern/shared/domain/region-calls";
import { type Bus, connectBus } from "@postern/shared/platform/bus";
import { createKeyRing, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { NatsServer } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lostPhoneElsewhere } from "../../../services/idp/src/second-factors/lost-phone-elsewhere.ts";
import { testRedis } from "../../support/redis-content.ts";
import { type Region, type RegionPair, regions, startRegionPair } from "./issuer-regions.ts";

const namespace = "postern-regions";
const logger = { info: () => undefined, warn: () => undefined, error: () => undefined, debug: () => undefined };
const patience = { deadline: steadyClock.now() + 60_000 };

let nats: NatsServer;
let pair: RegionPair;
const buses: Bus[] = [];
const disconnects: (() => void)[] = [];

beforeAll(async () => {
  pair = await startRegionPair();
  nats = pair.nats;
});

afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  for (const disconnect of disconnects) disconnect();
  await pair[Symbol.asyncDispose]();
});

async function busOf(name: string): Promise<Bus> {
  const bus = await connectBus({ servers: [nats.url], namespace, name, logger });
  buses.push(bus);
  return bus;
}

const keysOf = (secret: string) => createKeyRing([new Secret(secret)], regionCallsPurpose);

async function callsOf(
  name: string,
  peers: readonly string[],
  secret = "test-encryption-secret",
): Promise<RegionCalls> {
  return new RegionCalls({ bus: await busOf(name), keys: keysOf(secret), name, peers });
}

const kindOf = (error: unknown): unknown => (error instanceof AppError ? [error.code, error.row.kind] : error);

/** A message of east as it is sent, which is an empty map for whoever can open it. */
function sealedFor(context: string): Buffer {
  const sealed = keysOf("test-encryption-secret").seal(Buffer.from("a0", "hex"), context);
  return Buffer.concat([Buffer.from("east".padEnd(20)), sealed]);
}

function messageTo(path: string, headers: Record<string, string> = {}) {
  const client = { ip: "192.0.2.77", session: "of-east" };
  return { method: "GET", url: path, headers: { accept: "text/html", ...headers }, body: "", client };
}

test("a forwarded request is answered by the region that receives it, whatever region its cookie or token names", async () => {
  const east = await callsOf("east", ["west"]);
  const browser = { cookie: "__Host-service_region=east" };
  const page = await east.ask("west", forwardRequest, messageTo("/mfa/register/home", browser), patience);
  expect([page.status, page.headers["location"]]).toEqual([302, expect.stringMatching(/^\/login\?flow=/)]);
  const bearer = { authorization: `Bearer east~${"x".repeat(43)}` };
  expect((await east.ask("west", forwardRequest, messageTo("/oidc/userinfo", bearer), patience)).status).toBe(401);
});

test("another region reaches no path of the back channel, and states no credentials of an API caller", async () => {
  const east = await callsOf("east", ["west"]);
  for (const path of ["/api/v1/oidc/sessions", "/api/v1/dev/ui", "/oidc/jwks", "/login/../api/v1/oidc/keys"]) {
    const refused = east.ask("west", forwardRequest, messageTo(path), patience);
    expect(kindOf(await refused.catch((error: unknown) => error))).toEqual(["UPSTREAM_UNAVAILABLE", "unavailable"]);
  }
});

test.each([
  ["with other secrets", "east", "another-secret"],
  ["that is no peer", "north", "test-encryption-secret"],
])("a region %s gets no answer that says anything", async (_name, name, secret) => {
  const stranger = await callsOf(name, ["west"], secret);
  const call = stranger.ask("west", readTokenRecord, { digest: "x".repeat(43) }, patience);
  expect(kindOf(await call.catch((error: unknown) => error))).toEqual(["UPSTREAM_UNAVAILABLE", "unavailable"]);
});

test("a message for one call or region is not accepted for another", async () => {
  const bus = await busOf("east");
  for (const context of ["east west forward-request", "east north read-token-record", "west west read-token-record"]) {
    const method = { service: "west", name: readTokenRecord.name, major: 1 };
    const sent = bus.rawRequest(method, sealedFor(context), patience);
    expect(kindOf(await sent.catch((error: unknown) => error))).toEqual(["REQUEST_MALFORMED", "caller"]);
  }
});

test("without the other region, a call fails immediately as unavailable", async () => {
  const east = await callsOf("east", ["north"]);
  const call = east.ask("north", readTokenRecord, { digest: "x" }, patience);
  expect(kindOf(await call.catch((error: unknown) => error))).toEqual(["BUS_NO_RESPONDERS", "unavailable"]);
});

async function lostPhoneCodesOf(region: Region) {
  const redis = await testRedis(pair.stacks[region].stack.redis?.port ?? 0);
  disconnects.push(() => redis.disconnect());
  return createLostPhoneCodes(redis, "postern:", systemClock);
}

test("a code of the help desk is redeemed once, whichever region it was created in", async () => {
  const calls = await callsOf("east", ["west"]);
  const codes = { east: await lostPhoneCodesOf("east"), west: await lostPhoneCodesOf("west") };
  const everywhere = lostPhoneElsewhere(codes.east, calls);
  for (const region of regions) {
    const { code } = await codes[region].issue("alice@example.test");
    const flows = Array.from({ length: 6 }, (_, index) => `flow-${region}-${index}`);
    const all = await Promise.all(flows.map((flow) => everywhere.redeem("alice@example.test", code, flow)));
    expect(all.toSorted()).toEqual(["redeemed", ...Array(5).fill("wrong")]);
  }
  const alone = lostPhoneElsewhere(codes.east, await callsOf("east", ["west", "north"]));
  const undecided = alone.redeem("alice@example.test", "AAAA-BBBB-CCCC-DDDD", "flow");
  expect(kindOf(await undecided.catch((error: unknown) => error))).toEqual(["BUS_NO_RESPONDERS", "unavailable"]);
});
