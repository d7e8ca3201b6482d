import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { alice, askJson } from "../../support/ask-json.ts";
import { askDialect } from "../../support/dialects.ts";
import { logLineOf } from "../../support/log-lines.ts";
import { type Stack, startStack } from "../../support/stack.ts";
import { demoBackends } from "../../support/stack-config.ts";

const failuresUntilBan = 3;
let stack: Stack;

/** Every setting that names protocols, in various spellings. */
beforeAll(async () => {
  const folder = "/nonexistent";
  const { sql } = Object(demoBackends(folder));
  stack = await startStack({
    redis: true,
    settings: {
      auth: {
        upstreams: { imap: { address: "127.0.0.1", port: 143 } },
        backends: { sql: { search: [{ ...sql.search[0], protocol: ["IMAP", " Smtp", "pop3", "sieve"] }] } },
        policy: {
          sets: { strings: { closed: ["SIEVE"] } },
          policies: [
            {
              name: "no POP3",
              if: { attribute: "request.protocol", eq: "POP3" },
              // oxlint-disable-next-line unicorn/no-thenable -- a key of the configuration is named so
              then: { decision: "deny" },
            },
            {
              name: "closed",
              if: { attribute: "request.protocol", in: "closed" },
              // oxlint-disable-next-line unicorn/no-thenable -- as above
              then: { decision: "deny" },
            },
          ],
        },
        pipeline: { local_cache_ttl: "0s" },
        controls: {
          enabled: ["brute_force"],
          brute_force: {
            buckets: [
              {
                name: "imap",
                period: "10m",
                ban_time: "1h",
                cidr: 32,
                failed_requests: failuresUntilBan,
                ipv4: true,
                filter_by_protocol: ["Imap"],
              },
            ],
          },
        },
      },
    },
  });
});

afterAll(() => stack[Symbol.asyncDispose]());

const ask = (protocol: string, over: object = {}) => askJson(stack.url, { ...alice, protocol, ...over });

describe("the name of a protocol means the same in any spelling", () => {
  test.each(["imap", "IMAP", "Imap", " imap ", "SMTP"])("a search for it serves %j", async (protocol) => {
    const { status, headers } = await ask(protocol);
    expect(status).toBe(200);
    const line = await logLineOf(stack.gateway, headers.get("x-service-session") ?? "", "decided");
    expect(line["protocol"]).toBe(protocol.trim().toLowerCase());
  });

  test.each(["pop3", "POP3", "Sieve"])("a policy about it denies %j", async (protocol) => {
    expect((await ask(protocol)).status).toBe(403);
  });

  test.each(["imap", "IMAP"])("the proxy-style endpoint has a server for %j", async (protocol) => {
    expect((await askDialect(stack.url, "proxy", { protocol })).header("Auth-Port")).toBe("143");
  });

  test("a rule for it counts and bans in any spelling", async () => {
    const client_ip = "203.0.113.77";
    for (const [count, protocol] of ["IMAP", "Imap", "imap"].entries()) {
      expect((await ask(protocol, { client_ip, password: `wrong-${count}` })).status).toBe(403);
    }
    for (const protocol of ["imap", "IMAP"]) expect((await ask(protocol, { client_ip })).status).toBe(403);
    expect((await ask("SMTP", { client_ip })).status).toBe(200);
  });
});
