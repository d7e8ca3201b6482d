import { type AuthRequest, programOf } from "@postern/shared/contracts";
import { canonicalIp } from "@postern/shared/platform/net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IgnoredAddress } from "../connection/addresses.ts";
import type { BodyFields } from "./auth-fields.ts";
import { completeRequest, type RequestFacts } from "./complete-request.ts";
import { plainQuery } from "./query.ts";

const facts: RequestFacts = {
  session: "s-1",
  dialect: "json",
  clientIp: "198.51.100.7",
  clientPort: "40000",
  clientIpIsPeer: true,
  userAgent: undefined,
  acceptLanguage: undefined,
};

function complete(fields: Partial<BodyFields>, overrides: Partial<RequestFacts> = {}) {
  const ignored: IgnoredAddress[] = [];
  const reportIgnoredAddress = (one: IgnoredAddress): void => void ignored.push(one);
  const body = { username: "alice", password: "pw", tls: false, ...fields };
  const request = completeRequest(body, plainQuery, { ...facts, reportIgnoredAddress, ...overrides });
  return { request, ignored };
}

const clientOf = ({ clientIp, clientPort, clientIpIsPeer }: AuthRequest) => ({ clientIp, clientPort, clientIpIsPeer });

describe("client_ip of a body", () => {
  test.each<[Partial<BodyFields>, Partial<AuthRequest>]>([
    [{ clientIp: "203.0.113.9" }, { clientIp: "203.0.113.9" }],
    [
      { clientIp: "203.0.113.9", clientPort: "51234" },
      { clientIp: "203.0.113.9", clientPort: "51234" },
    ],
    [{ clientIp: "203.0.113.9:51234" }, { clientIp: "203.0.113.9", clientPort: "51234" }],
    [
      { clientIp: "203.0.113.9:51234", clientPort: "25" },
      { clientIp: "203.0.113.9", clientPort: "25" },
    ],
    [{ clientIp: "[2001:DB8::7]:51234" }, { clientIp: "2001:db8::7", clientPort: "51234" }],
    [{ clientIp: "[2001:db8::7]" }, { clientIp: "2001:db8::7" }],
    [{ clientIp: "::ffff:203.0.113.9" }, { clientIp: "203.0.113.9" }],
    [{ clientIp: "127.0.0.1" }, { clientIp: "127.0.0.1" }],
  ])("%j names the client", (fields, expected) => {
    const { request, ignored } = complete(fields);
    expect(clientOf(request)).toEqual({ clientPort: undefined, clientIpIsPeer: undefined, ...expected });
    expect(ignored).toEqual([]);
  });

  test.each(["unknown", "-", "mail.example.test", "203.0.113.9, 198.51.100.1", "0.0.0.0", "203.0.113.9/32", " "])(
    "%j names no client: the request has no client address, and the value is reported",
    (clientIp) => {
      const { request, ignored } = complete({ clientIp });
      expect(request).toEqual(complete({}).request);
      expect(clientOf(request)).toEqual({ clientIp: "198.51.100.7", clientPort: "40000", clientIpIsPeer: true });
      expect(ignored).toEqual([{ session: "s-1", dialect: "json", reason: "unreadable", value: clientIp }]);
    },
  );

  test("the address in a trusted proxy's header replaces an invalid one in the body", () => {
    const { request } = complete({ clientIp: "unknown" }, { clientIpIsPeer: false, clientPort: "" });
    expect(clientOf(request)).toEqual({ clientIp: "198.51.100.7" });
  });

  test("the address is canonical, whatever a body contains", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (clientIp) => {
        const { request } = complete({ clientIp });
        expect(canonicalIp(request.clientIp ?? "")).toBe(request.clientIp);
      }),
    );
  });
});

test.each([
  [{ localIp: "192.0.2.25:993" }, { localIp: "192.0.2.25", localPort: "993" }],
  [
    { localIp: "[2001:DB8::25]:993", localPort: "143" },
    { localIp: "2001:db8::25", localPort: "143" },
  ],
  [{ localIp: "imap.example.test" }, { localIp: "imap.example.test" }],
])("the server's address %j is parsed in the same way, and a name is kept", (fields, expected) => {
  const { request, ignored } = complete(fields);
  expect(request).toMatchObject(expected);
  expect(ignored).toEqual([]);
});

test.each([
  ["json", {}, ""],
  ["cbor", {}, ""],
  ["header", {}, ""],
  ["sasl", {}, ""],
  ["grpc", {}, ""],
  ["basic", {}, "dovecot/2.4"],
  ["json", { userAgent: "Thunderbird/128" }, "Thunderbird/128"],
  ["json", { clientId: "iPhone Mail 17.1" }, "iPhone Mail 17.1"],
  ["json", { clientId: "iPhone Mail 17.1", userAgent: "webmail" }, "iPhone Mail 17.1"],
] as const)("the User-Agent of a caller is no program of a user: %s with %j", (dialect, fields, program) => {
  const { request } = complete(fields, { dialect, userAgent: "dovecot/2.4" });
  expect(programOf(request)).toBe(program);
  // Policies and scripts see the header all the same.
  expect(request.userAgent).toBe("userAgent" in fields ? fields.userAgent : "dovecot/2.4");
});
