import type { Dialect } from "@postern/shared/contracts";
import { createCidrSet, resolveForwardedFor } from "@postern/shared/platform/net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type AddressedRequest, createRequestAddresses, type IgnoredAddress, type TrustSettings } from "./addresses.ts";

type Headers = AddressedRequest["raw"]["headers"];

const clientHeaders = { clientIp: "client-ip", clientPort: "x-client-port" };
const proxies = createCidrSet(["127.0.0.1", "::1", "10.0.0.0/8", "2001:db8:1::/48"]);
const nobody = createCidrSet([]);
const noReport = (): void => undefined;

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

test("a request's caller follows the trusted-proxy rule, whatever the earlier requests of the connection and the earlier configuration", () => {
  fc.assert(
    fc.property(fc.array(address, { minLength: 4, maxLength: 4 }), requests, (peers, sent) => {
      let trustedProxies = proxies;
      const { callerAddress } = createRequestAddresses(() => ({ trustedProxies, clientHeaders }), noReport);
      const sockets = peers.map((remoteAddress) => ({ remoteAddress, remotePort: 4711 }));
      for (const { connection, forwardedFor: xForwardedFor, realIp, reloaded } of sent) {
        if (reloaded) trustedProxies = trustedProxies === proxies ? nobody : proxies;
        const headers: Headers = { "x-forwarded-for": xForwardedFor, "x-real-ip": realIp };
        const socket = sockets[connection] ?? { remoteAddress: "", remotePort: 0 };
        const direct = resolveForwardedFor(
          { peer: socket.remoteAddress, forwardedFor: xForwardedFor, realIp },
          trustedProxies,
        );
        expect(callerAddress({ raw: { headers, socket } })).toBe(direct);
      }
    }),
  );
});

test("a peer that a reload no longer trusts cannot name a client on its existing connection", () => {
  let trustedProxies = proxies;
  const { clientOf } = createRequestAddresses(() => ({ trustedProxies, clientHeaders }), noReport);
  const socket = { remoteAddress: "::ffff:10.1.2.3", remotePort: 4711 };
  const raw = { headers: { "client-ip": "198.51.100.7", "x-client-port": "40123" }, socket };
  const byHeader = { clientIp: "198.51.100.7", clientPort: "40123", clientIpIsPeer: false };
  expect(clientOf({ raw }, "s", "header")).toEqual(byHeader);
  trustedProxies = nobody;
  expect(clientOf({ raw }, "s", "header")).toEqual({ clientIp: "10.1.2.3", clientPort: "4711", clientIpIsPeer: true });
});

test("two clients behind one proxy connection are distinguished", () => {
  const { callerAddress } = createRequestAddresses(() => ({ trustedProxies: proxies, clientHeaders }), noReport);
  const socket = { remoteAddress: "10.1.2.3", remotePort: 4711 };
  const callers = ["198.51.100.1", "6.6.6.6, 198.51.100.2", undefined].map((xForwardedFor) =>
    callerAddress({ raw: { headers: { "x-forwarded-for": xForwardedFor }, socket } }),
  );
  expect(callers).toEqual(["198.51.100.1", "198.51.100.2", "10.1.2.3"]);
});

const proxy = "10.1.2.3";
const stranger = "203.0.113.9";
const user = "198.51.100.7";

/** The peer, its headers, and the expected address, whether it is only the caller's, and what is reported. */
type DialectRow = readonly [string, Headers, string, "caller" | "named", (IgnoredAddress["reason"] | undefined)?];
type Row = readonly [Dialect, string, Headers, string, string, string];

const forEachOf = (dialects: readonly Dialect[], rows: readonly DialectRow[]): readonly Row[] =>
  dialects.flatMap((dialect) =>
    rows.map(([peer, headers, address, by, reason = ""]): Row => [dialect, peer, headers, address, by, reason]),
  );

test.each<Row>([
  ...forEachOf(
    ["json", "cbor", "header", "proxy"],
    [
      [proxy, {}, proxy, "caller"],
      [proxy, { "client-ip": user }, user, "named"],
      [proxy, { "client-ip": `${user}:51234` }, user, "named"],
      [proxy, { "client-ip": "[2001:db8::7]:51234" }, "2001:db8::7", "named"],
      [proxy, { "client-ip": "unknown" }, proxy, "caller", "unreadable"],
      [proxy, { "client-ip": `${user}, ${stranger}` }, proxy, "caller", "unreadable"],
      [proxy, { "client-ip": "unknown", "x-forwarded-for": user }, user, "named", "unreadable"],
      [proxy, { "client-ip": "" }, proxy, "caller"],
      [proxy, { "x-forwarded-for": user }, user, "named"],
      [proxy, { "x-forwarded-for": `${user}:51234` }, user, "named"],
      [proxy, { "x-forwarded-for": "unknown" }, proxy, "caller"],
      [proxy, { "x-forwarded-for": "10.9.9.9" }, "10.9.9.9", "caller"],
      [proxy, { "x-real-ip": `${user}:51234` }, user, "named"],
      [stranger, {}, stranger, "caller"],
      [stranger, { "client-ip": user }, stranger, "caller", "untrusted"],
      [stranger, { "x-forwarded-for": user, "x-real-ip": user }, stranger, "caller"],
    ],
  ),
  // saslauthd names no client: a proxy before the gateway names the mail server.
  ...forEachOf(
    ["sasl"],
    [
      [proxy, { "x-forwarded-for": stranger }, stranger, "caller"],
      [proxy, { "x-real-ip": stranger }, stranger, "caller"],
      [proxy, { "client-ip": user }, user, "named"],
      [stranger, { "client-ip": user }, stranger, "caller", "untrusted"],
    ],
  ),
  // The caller is the user's own client.
  ...forEachOf(
    ["basic"],
    [
      [proxy, { "client-ip": user }, proxy, "named"],
      [proxy, { "client-ip": user, "x-forwarded-for": stranger }, stranger, "named"],
      [proxy, { "client-ip": user, "x-real-ip": stranger }, stranger, "named"],
      [stranger, { "client-ip": user, "x-forwarded-for": user }, stranger, "named"],
    ],
  ),
])("%s from %s with %j: the client is %s (%s)", (dialect, remoteAddress, headers, clientIp, by, reason) => {
  const reported: IgnoredAddress[] = [];
  const { clientOf } = createRequestAddresses(
    () => ({ trustedProxies: proxies, clientHeaders }),
    (ignored) => void reported.push(ignored),
  );
  const client = clientOf({ raw: { headers, socket: { remoteAddress, remotePort: 4711 } } }, "s", dialect);
  expect([client.clientIp, client.clientIpIsPeer]).toEqual([clientIp, by === "caller"]);
  expect(reported.map((ignored) => ignored.reason)).toEqual(reason === "" ? [] : [reason]);
});

test("a port belongs to its address", () => {
  const { clientOf } = createRequestAddresses(() => ({ trustedProxies: proxies, clientHeaders }), noReport);
  const portOf = (headers: Headers): string =>
    clientOf({ raw: { headers, socket: { remoteAddress: proxy, remotePort: 4711 } } }, "s", "header").clientPort;
  expect(portOf({})).toBe("4711");
  expect(portOf({ "x-client-port": "1" })).toBe("4711");
  expect(portOf({ "x-forwarded-for": user })).toBe("");
  expect(portOf({ "client-ip": `${user}:51234` })).toBe("51234");
  expect(portOf({ "client-ip": `${user}:51234`, "x-client-port": "40123" })).toBe("40123");
  expect(portOf({ "client-ip": user })).toBe("");
});

const trust = (): TrustSettings => ({ trustedProxies: proxies, clientHeaders });

test("behind a PROXY protocol header, the peer is the client in that header, and the client's headers are not those of a trusted proxy", () => {
  const request = { raw: { headers: {}, socket: { remoteAddress: "127.0.0.1", remotePort: 4711 } } };
  const direct = createRequestAddresses(trust, noReport);
  expect(direct.isFromTrustedProxy(request)).toBe(true);
  const proxied = createRequestAddresses(trust, noReport, () => ({ host: "203.0.113.9", port: 4712 }));
  expect(proxied.isFromTrustedProxy(request)).toBe(false);
  expect(proxied.clientOf(request, "session", "json")).toEqual({
    clientIp: "203.0.113.9",
    clientPort: "4712",
    clientIpIsPeer: true,
  });
});
