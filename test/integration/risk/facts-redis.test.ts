import {
  createRiskStore,
  decodeAccountFacts,
  encodeAccountFacts,
  noteSignIn,
  riskSettings,
} from "@postern/shared/domain/risk";
import { loadConfig } from "@postern/shared/platform/config";
import { type RedisServer, spawnRedis } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createFactWriter } from "../../../services/auth-engine/src/risk/fact-writer.ts";
import { testRedis } from "../../support/redis-content.ts";

let server: RedisServer;

beforeAll(async () => {
  server = await spawnRedis();
});

afterAll(() => server[Symbol.asyncDispose]());

function defaultSettings() {
  const loaded = loadConfig({ text: "", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error("the default configuration is invalid");
  return riskSettings(loaded.config.auth.risk);
}

test("engines that add networks to one account at the same time lose none of them", async () => {
  const ages = defaultSettings();
  const lost: number[] = [];
  const form = { decode: decodeAccountFacts, encode: encodeAccountFacts, lifeSeconds: () => 60 };
  const clients = await Promise.all(Array.from({ length: 3 }, () => testRedis(server.port)));
  const writers = clients.map((client) =>
    createFactWriter(createRiskStore(client, 5000), form, (count) => lost.push(count)),
  );
  writers.forEach((writer, engine) => {
    const place = { country: "DE", system: 1, location: undefined };
    const signIn = { minute: 100, network: `network${engine}`, place, protocol: "imap", client: "", device: "" };
    writer.add("facts", "", (facts) => noteSignIn(facts, signIn, { isDoubted: false, ages }));
  });
  await Promise.all(writers.map((writer) => writer.flush()));
  const [client] = clients;
  const facts = decodeAccountFacts((await client?.get("facts")) ?? "");
  expect(lost).toEqual([]);
  expect(facts?.networks.map(({ id }) => id).toSorted()).toEqual(["network0", "network1", "network2"]);
  expect(await client?.ttl("facts")).toBeGreaterThan(0);
  for (const one of clients) one.disconnect();
});
