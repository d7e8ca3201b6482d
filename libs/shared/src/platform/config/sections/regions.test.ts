import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

function problemsOf(regions: object, bus: object = {}, secret = "a-secret-of-the-test"): readonly string[] {
  const tree = { runtime: { regions, bus }, storage: { redis: { encryption_secret: secret } } };
  const result = loadConfig({ text: JSON.stringify(tree), env: {}, readFile: () => "" });
  return result.ok ? [] : result.problems.map(({ path }) => path.replace("runtime.regions.", ""));
}

const east = { name: "east", peers: ["west", "north"] };
const nine = Array.from({ length: 9 }, (_, index) => `region-${index}`);

test.each<[name: string, regions: object, problems: readonly string[]]>([
  ["no regions", {}, []],
  ["three regions", east, []],
  ["a connection of their own", { ...east, bus: { servers: ["nats://127.0.0.1:4223"], username: "r" } }, []],
  ["a region without others", { name: "east" }, ["peers"]],
  ["others without a name of this one", { peers: ["west"] }, ["name"]],
  ["its own name among the others", { name: "east", peers: ["west", "east"] }, ["peers[1]"]],
  ["a name twice", { name: "east", peers: ["west", "west"] }, ["peers[1]"]],
  ["too many", { name: "east", peers: nine }, ["peers"]],
  ["a name with a dot", { name: "east.example", peers: ["west"] }, ["name"]],
  ["a name with a colon", { name: "east", peers: ["a:b"] }, ["peers"]],
  ["the subjects of the services", { ...east, bus: { namespace: "postern" } }, ["bus.namespace"]],
  ["a login without servers", { ...east, bus: { token: "t" } }, ["bus.servers"]],
  ["two logins", { ...east, bus: { servers: ["nats://127.0.0.1"], token: "t", username: "u" } }, ["bus"]],
])("%s", (_name, regions, problems) => {
  expect(problemsOf(regions)).toEqual(problems);
});

test("regions need a secret to recognise each other, and NATS", () => {
  expect(problemsOf(east, {}, "")).toEqual(["storage.redis.encryption_secret"]);
  expect(problemsOf(east, { servers: [] })).toEqual(["bus.servers"]);
});
