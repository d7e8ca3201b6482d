import { request } from "node:http";
import { poll } from "@postern/shared/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { basicAuth, type Stack, startStack } from "../../support/stack.ts";

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    settings: { runtime: { servers: { http: { trusted_proxies: ["127.0.0.1", "192.0.2.0/24"] } } } },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

interface Peer {
  /** Ours: the address that the gateway sees as the other end. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clientIp?: string;
}

let requestCount = 0;

/** Asks with a username of its own and returns `client_ip` of the line that the gateway logged about it. */
async function loggedAddress({ from = "127.0.0.1", headers = {}, clientIp }: Peer): Promise<unknown> {
  requestCount += 1;
  const username = `address-${requestCount}`;
  const body = JSON.stringify({
    username,
    protocol: "imap",
    ...(clientIp === undefined ? {} : { client_ip: clientIp }),
  });
  await new Promise<void>((resolve, reject) => {
    const options = {
      method: "POST",
      localAddress: from,
      headers: { authorization: basicAuth, "content-type": "application/json", ...headers },
    };
    const sent = request(`${stack.url}/api/v1/auth/json?mode=no-auth`, options, (response) => {
      response.resume();
      response.once("end", () => resolve());
    });
    sent.once("error", reject);
    sent.end(body);
  });
  const line = await poll("the decision's line", () =>
    stack.gateway
      .output()
      .split("\n")
      .find((text) => text.includes(`"${username}"`)),
  );
  return JSON.parse(line).client_ip;
}

const untrusted = "127.0.0.2";
const clientAddress = "198.51.100.7";

test.each<[string, Peer, string]>([
  ["a trusted peer's X-Forwarded-For counts", { headers: { "x-forwarded-for": clientAddress } }, clientAddress],
  ["a trusted peer's X-Real-IP counts", { headers: { "x-real-ip": clientAddress } }, clientAddress],
  ["a trusted peer's Client-IP counts", { headers: { "client-ip": clientAddress } }, clientAddress],
  [
    "Client-IP is nearer to the user than the proxies' headers",
    { headers: { "client-ip": clientAddress, "x-forwarded-for": "203.0.113.1" } },
    clientAddress,
  ],
  [
    "the walk from the right ends at the first address that is no proxy",
    { headers: { "x-forwarded-for": `203.0.113.9, ${clientAddress}, 192.0.2.8` } },
    clientAddress,
  ],
  [
    "what is no address ends the walk",
    { headers: { "x-forwarded-for": `${clientAddress}, nonsense, 192.0.2.8` } },
    "192.0.2.8",
  ],
  ["an IPv6 address in any spelling", { headers: { "x-forwarded-for": "2001:DB8:0:0::1" } }, "2001:db8::1"],
  ["a mapped IPv4 address is the IPv4 address", { headers: { "x-real-ip": `::ffff:${clientAddress}` } }, clientAddress],
  ["nothing told: the peer", {}, "127.0.0.1"],
  [
    "an untrusted peer's X-Forwarded-For is nothing",
    { from: untrusted, headers: { "x-forwarded-for": clientAddress } },
    untrusted,
  ],
  ["an untrusted peer's X-Real-IP is nothing", { from: untrusted, headers: { "x-real-ip": clientAddress } }, untrusted],
  ["an untrusted peer's Client-IP is nothing", { from: untrusted, headers: { "client-ip": clientAddress } }, untrusted],
  [
    "the body of an authenticated caller is believed from anywhere",
    { from: untrusted, clientIp: clientAddress },
    clientAddress,
  ],
  ["the body wins over headers", { clientIp: clientAddress, headers: { "client-ip": "203.0.113.1" } }, clientAddress],
])("%s", async (_rule, peer, expected) => {
  expect(await loggedAddress(peer)).toBe(expected);
});

test("a rejected caller is logged by the same rule", async () => {
  const headers = { "x-forwarded-for": clientAddress };
  expect((await fetch(`${stack.url}/api/v1/auth/json`, { method: "POST", headers, body: "{}" })).status).toBe(401);
  const line = await poll("the rejection's line", () =>
    stack.gateway
      .output()
      .split("\n")
      .find((text) => text.includes("caller rejected")),
  );
  expect(JSON.parse(line)).toMatchObject({ client_ip: clientAddress, reason: "missing" });
});
