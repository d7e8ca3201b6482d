import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { freePort, type NatsServer, poll, spawnNats } from "@postern/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Two servers of deploy/nats, on ports of this machine. */
const owned = new AsyncDisposableStack();
let east: NatsServer;
let west: NatsServer;

const passwords = {
  SERVICES_PASSWORD: "services-secret",
  REGIONS_PASSWORD: "regions-secret",
  LEAF_PASSWORD: "leaf-secret",
};

/** The file without the lines that `spawnNats` writes, and with values in place of the environment's. */
function configOf(name: string, values: Readonly<Record<string, string>>): string {
  return readFileSync(join(import.meta.dirname, `../../../deploy/nats/${name}.conf`), "utf8")
    .replaceAll(/^(?:listen|http|max_payload): .*$/gmu, "")
    .replaceAll(/\$([A-Z_]+)/gu, (_whole, variable: string) => JSON.stringify(values[variable]));
}

beforeAll(async () => {
  const leafPort = await freePort();
  const hub = configOf("region-hub", passwords).replace("0.0.0.0:7422", `127.0.0.1:${leafPort}`);
  const hubUrl = `nats-leaf://west:${passwords.LEAF_PASSWORD}@127.0.0.1:${leafPort}`;
  east = owned.use(await spawnNats({ config: hub }));
  west = owned.use(await spawnNats({ config: configOf("region-leaf", { ...passwords, HUB_URL: hubUrl }) }));
});

afterAll(() => owned.disposeAsync());

async function login(server: NatsServer, user: "services" | "regions", region: string): Promise<NatsConnection> {
  const pass = user === "services" ? passwords.SERVICES_PASSWORD : passwords.REGIONS_PASSWORD;
  const connection = await connect({ servers: server.url, user, pass, inboxPrefix: `postern-regions.inbox.${region}` });
  owned.defer(() => connection.close());
  return connection;
}

async function ask(from: NatsConnection, to: string): Promise<string> {
  const answer = await from.request(`postern-regions.rpc.${to}.pull.v1`, "", { timeout: 5000 });
  return answer.string();
}

test("regions reach each other over a leaf node, read only what is for them, and nothing of the services crosses", async () => {
  const [ofEast, ofWest] = [await login(east, "regions", "east"), await login(west, "regions", "west")];
  const [servicesOfEast, servicesOfWest] = [
    await login(east, "services", "east"),
    await login(west, "services", "west"),
  ];
  ofEast.subscribe("postern-regions.rpc.east.>", { callback: (_error, message) => void message.respond("east") });
  ofWest.subscribe("postern-regions.rpc.west.>", { callback: (_error, message) => void message.respond("west") });
  await poll("the leaf node", () =>
    ask(ofEast, "west").then(
      (answer) => answer === "west",
      () => false,
    ),
  );
  expect(await ask(ofWest, "east")).toBe("east");

  const refused: string[] = [];
  for (const subject of ["postern-regions.rpc.east.>", "postern-regions.inbox.east.>", ">"]) {
    const refusal = Promise.withResolvers<string>();
    ofWest.subscribe(subject, { callback: (error) => refusal.resolve(String(error)) });
    refused.push(await refusal.promise);
  }
  expect(refused).toEqual(refused.map(() => expect.stringContaining("Permissions Violation")));

  const crossed: string[] = [];
  servicesOfWest.subscribe(">", { callback: (_error, { subject }) => void crossed.push(subject) });
  await servicesOfWest.flush();
  servicesOfEast.publish("postern.evt.account.flushed.v1");
  await servicesOfEast.flush();
  // What had crossed would have arrived before this answer, over the same link.
  expect(await ask(ofEast, "west")).toBe("west");
  await servicesOfWest.flush();
  expect(crossed).toEqual([]);
});
