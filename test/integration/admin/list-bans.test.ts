import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askAdmin } from "../../support/ask-admin.ts";
import { alice, askJson } from "../../support/ask-json.ts";
import { askRaw } from "../../support/ask-raw.ts";
import { basicAuth } from "../../support/stack.ts";
import { type OperatorsStack, startOperatorsStack } from "./operators-stack.ts";

const listPath = "/api/v1/bruteforce/list";

let stack: OperatorsStack;

beforeAll(async () => {
  stack = await startOperatorsStack(["admin"]);
});

afterAll(() => stack[Symbol.asyncDispose]());

/** Fetch sends no body with a GET. */
async function getWithBody(body: object, coding: "identity" | "gzip") {
  const text = Buffer.from(JSON.stringify(body));
  const { status, body: answer } = await askRaw(stack.url, {
    method: "GET",
    path: listPath,
    headers: [
      ["Authorization", basicAuth],
      ["Content-Type", "application/json"],
      ["Content-Encoding", coding],
    ],
    body: coding === "gzip" ? gzipSync(text) : text,
  });
  const parsed: Readonly<Record<string, unknown>> = JSON.parse(answer);
  return { status, body: parsed };
}

describe("GET and POST /api/v1/bruteforce/list", () => {
  const listed = ["203.0.113.200", "198.51.100.200", "192.0.2.200"];

  beforeAll(async () => {
    for (const client_ip of listed) {
      for (const password of ["wrong-0", "wrong-1", "wrong-2"]) {
        await askJson(stack.url, { ...alice, client_ip, protocol: "smtp", password });
      }
    }
  });

  const everything = {
    ip_addresses: { "203.0.113.0/24": "wide", "198.51.100.0/24": "wide", "192.0.2.0/24": "wide" },
    error: null,
  };
  const addresses = expect.toSatisfy(
    (actual: readonly string[]) => String([...actual].toSorted()) === String(listed.toSorted()),
  );

  test.each([
    ["GET", undefined],
    ["POST", undefined],
    ["POST", ""],
    ["POST", {}],
    ["POST", { accounts: [], ip_addresses: [], unheard_of: 1 }],
  ])("%s without filters (%j) returns all bans", async (method, body) => {
    const { status, body: answer } = await askAdmin(stack, method, listPath, { body });
    expect([status, answer]).toEqual([
      200,
      {
        session: expect.any(String),
        object: "bruteforce",
        operation: "list",
        result: [everything, { accounts: { [alice.username]: addresses }, error: null }],
      },
    ]);
  });

  const one = { ip_addresses: { "192.0.2.0/24": "wide" }, error: null };
  const none = { ip_addresses: {}, error: null };
  const noAccount = { accounts: {}, error: null };

  test.each([
    ["an address", { ip_addresses: ["192.0.2.7"] }, [one, noAccount]],
    ["a network", { ip_addresses: ["192.0.2.0/24"] }, [one, noAccount]],
    ["an address without a ban", { ip_addresses: ["10.0.0.1"] }, [none, noAccount]],
    ["an account", { accounts: [alice.username] }, [none, { accounts: { [alice.username]: addresses }, error: null }]],
    ["an unknown account", { accounts: ["unknown"] }, [none, noAccount]],
    ["both", { accounts: ["unknown"], ip_addresses: ["192.0.2.7", "10.0.0.1"] }, [one, noAccount]],
  ])("filtered by %s", async (_what, body, result) => {
    const { status, body: answer } = await askAdmin(stack, "POST", listPath, { body });
    expect([status, answer["result"]]).toEqual([200, result]);
    const query = new URLSearchParams(
      Object.entries(body).flatMap(([name, values]) => values.map((value) => [name, value])),
    );
    expect((await askAdmin(stack, "GET", `${listPath}?${query}`)).body["result"]).toEqual(result);
    expect((await getWithBody(body, "identity")).body["result"]).toEqual(result);
    expect((await getWithBody(body, "gzip")).body["result"]).toEqual(result);
  });

  test("the body of a GET is read like that of a POST", async () => {
    expect(await getWithBody({ accounts: "alice" }, "identity")).toMatchObject({ status: 400 });
    expect((await getWithBody({ ip_addresses: ["x".repeat(1_100_000)] }, "identity")).status).toBe(413);
  });

  test("returns each ban once over several pages, then no cursor", async () => {
    const seen: string[] = [];
    let cursor = "";
    for (let pages = 1; ; pages += 1) {
      const { body } = await askAdmin(stack, "GET", `${listPath}?limit=1${cursor}`);
      const [bans]: readonly Readonly<Record<string, unknown>>[] = Object(body["result"]);
      seen.push(...Object.keys(Object(bans?.["ip_addresses"])));
      if (body["next"] === undefined) break;
      cursor = `&cursor=${String(body["next"])}`;
      expect(pages).toBeLessThan(10);
    }
    expect(seen.toSorted()).toEqual(Object.keys(everything.ip_addresses).toSorted());
  });

  test.each([
    ["accounts that are not a list", { accounts: "alice" }, ""],
    ["an invalid address", { ip_addresses: ["x"] }, ""],
    ["a list as the body", [], ""],
    ["text that is not JSON", "{", ""],
    ["a limit of 0", {}, "?limit=0"],
    ["a limit above 1000", {}, "?limit=1001"],
    ["an unknown cursor", {}, "?cursor=abc"],
    ["an unknown parameter", {}, "?limit=1&offset=1"],
  ])("answers 400 to %s", async (_what, body, query) => {
    expect((await askAdmin(stack, "POST", `${listPath}${query}`, { body })).status).toBe(400);
  });
});
