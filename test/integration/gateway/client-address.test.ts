import { request } from "node:http";
import { poll } from "@postern/testing";
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
  /** The address of this test, which the gateway sees as the peer. */
  readonly from?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly clientIp?: string;
}

let requestCount = 0;

/** Sends a request with a unique username and returns `client_ip` of the line that the gateway logged about it. */
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
  const line = await poll("the log line of the decision", () =>
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
  ["uses X-Forwarded-For of a trusted peer", { headers: { "x-forwarded-for": clientAddress } }, clientAddress],
  ["uses X-Real-IP of a trusted peer", { headers: { "x-real-ip": clientAddress } }, clientAddress],
  ["uses Client-IP of a trusted peer", { headers: { "client-ip": clientAddress } }, clientAddress],
  [
    "prefers Client-IP to the headers of proxies",
    { headers: { "client-ip": clientAddress, "x-forwarded-for": "203.0.113.1" } },
    clientAddress,
  ],
  [
    "reads X-Forwarded-For from the right, up to the first address that is not a proxy",
    { headers: { "x-forwarded-for": `203.0.113.9, ${clientAddress}, 192.0.2.8` } },
    clientAddress,
  ],
  [
    "stops reading X-Forwarded-For at an invalid address",
    { headers: { "x-forwarded-for": `${clientAddress}, nonsense, 192.0.2.8` } },
    "192.0.2.8",
  ],
  ["accepts an IPv6 address in any spelling", { headers: { "x-forwarded-for": "2001:DB8:0:0::1" } }, "2001:db8::1"],
  [
    "treats an IPv4-mapped address as the IPv4 address",
    { headers: { "x-real-ip": `::ffff:${clientAddress}` } },
    clientAddress,
  ],
  ["uses the peer's address without headers", {}, "127.0.0.1"],
  [
    "ignores X-Forwarded-For of an untrusted peer",
    { from: untrusted, headers: { "x-forwarded-for": clientAddress } },
    untrusted,
  ],
  ["ignores X-Real-IP of an untrusted peer", { from: untrusted, headers: { "x-real-ip": clientAddress } }, untrusted],
  ["ignores Client-IP of an untrusted peer", { from: untrusted, headers: { "client-ip": clientAddress } }, untrusted],
  [
    "uses the address in the body of an authenticated API caller from any peer",
    { from: untrusted, clientIp: clientAddress },
    clientAddress,
  ],
  [
    "prefers the address in the body to headers",
    { clientIp: clientAddress, headers: { "client-ip": "203.0.113.1" } },
    clientAddress,
  ],
])("%s", async (_rule, peer, expected) => {
  expect(await loggedAddress(peer)).toBe(expected);
});

test("logs the client address of a rejected API caller by the same rule", async () => {
  const headers = { "x-forwarded-for": clientAddress };
  expect((await fetch(`${stack.url}/api/v1/auth/json`, { method: "POST", headers, body: "{}" })).status).toBe(401);
  const line = await poll("the log line of the rejection", () =>
    stack.gateway
      .output()
      .split("\n")
      .find((text) => text.includes("caller rejected")),
  );
  expect(JSON.parse(line)).toMatchObject({ client_ip: clientAddress, reason: "missing" });
});
