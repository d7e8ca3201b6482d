import { createCidrSet, resolveForwardedFor } from "@postern/shared/net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AddressedRequest, createRequestAddresses } from "./request-address.ts";

type Headers = AddressedRequest["raw"]["headers"];

const clientHeaders = { clientIp: "client-ip", clientPort: "x-client-port" };
const proxies = createCidrSet(["127.0.0.1", "::1", "10.0.0.0/8", "2001:db8:1::/48"]);
const nobody = createCidrSet([]);

const address = fc.constantFrom(
  "127.0.0.1",
  "::ffff:127.0.0.1",
  "::1",
  "10.1.2.3",
  "::ffff:10.1.2.3",
  "::ffff:203.0.113.9",
  "203.0.113.9",
  "2001:db8:1::5",
  "2001:DB8:1:0::5",
  "2001:db8:2::5",
  "fe80::1%eth0",
  "junk",
  "",
);
const forwardedFor = fc.oneof(
  fc.constant(undefined),
  fc.array(fc.oneof(address, fc.string()), { maxLength: 5 }).map((hops) => hops.join(", ")),
);
const requests = fc.array(
  fc.record({
    connection: fc.nat({ max: 3 }),
    forwardedFor,
    realIp: fc.option(address, { nil: undefined }),
    reloaded: fc.boolean(),
  }),
  { maxLength: 30 },
);

test("whatever its connection and the configuration were before, a request's caller is the trust rule's", () => {
  fc.assert(
    fc.property(fc.array(address, { minLength: 4, maxLength: 4 }), requests, (peers, sent) => {
      let trustedProxies = proxies;
      const { callerOf } = createRequestAddresses(() => ({ trustedProxies, clientHeaders }));
      const sockets = peers.map((remoteAddress) => ({ remoteAddress, remotePort: 4711 }));
      for (const { connection, forwardedFor: told, realIp, reloaded } of sent) {
        if (reloaded) trustedProxies = trustedProxies === proxies ? nobody : proxies;
        const headers: Headers = { "x-forwarded-for": told, "x-real-ip": realIp };
        const socket = sockets[connection] ?? { remoteAddress: "", remotePort: 0 };
        const direct = resolveForwardedFor({ peer: socket.remoteAddress, forwardedFor: told, realIp }, trustedProxies);
        expect(callerOf({ raw: { headers, socket } })).toBe(direct);
      }
    }),
  );
});

test("a peer that a reload no longer trusts tells no client address on the connection that it has", () => {
  let trustedProxies = proxies;
  const { clientOf } = createRequestAddresses(() => ({ trustedProxies, clientHeaders }));
  const socket = { remoteAddress: "::ffff:10.1.2.3", remotePort: 4711 };
  const raw = { headers: { "client-ip": "198.51.100.7", "x-client-port": "40123" }, socket };
  expect(clientOf({ raw })).toEqual({ clientIp: "198.51.100.7", clientPort: "40123" });
  trustedProxies = nobody;
  expect(clientOf({ raw })).toEqual({ clientIp: "10.1.2.3", clientPort: "4711" });
});

test("two clients behind one connection of a proxy are two", () => {
  const { callerOf } = createRequestAddresses(() => ({ trustedProxies: proxies, clientHeaders }));
  const socket = { remoteAddress: "10.1.2.3", remotePort: 4711 };
  const callers = ["198.51.100.1", "6.6.6.6, 198.51.100.2", undefined].map((told) =>
    callerOf({ raw: { headers: { "x-forwarded-for": told }, socket } }),
  );
  expect(callers).toEqual(["198.51.100.1", "198.51.100.2", "10.1.2.3"]);
});
