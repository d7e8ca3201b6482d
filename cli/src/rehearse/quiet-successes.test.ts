import fc from "fast-check";
import { expect, test } from "vitest";
import { decided, reported, rule, wrong } from "./testing/rehearsed-logs.ts";

const step = fc.record({
  afterSeconds: fc.oneof({ weight: 9, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(9000) }),
  does: fc.constantFrom("succeed", "succeed", "succeed", "guess", "repeat"),
  username: fc.constantFrom("alice", "Bob@example.org", "j\u00E9r\u00F4me", "carol@xn--mnchen-3ya.example"),
  address: fc.constantFrom("192.0.2.1", "192.0.2.1", "192.0.2.77", "198.51.100.7", "2001:db8::7", ""),
  protocol: fc.constantFrom("imap", "smtp", "a-protocol-with-a-long-name"),
  tls: fc.boolean(),
});

function linesOf(steps: readonly (typeof step extends fc.Arbitrary<infer Value> ? Value : never)[]): readonly string[] {
  const seen = new Map<string, number>();
  let second = 0;
  return steps.map(({ afterSeconds, does, username, address, protocol, tls }) => {
    second += afterSeconds;
    const fields = { username, protocol, tls, client_ip: address === "" ? undefined : address, latency_ms: 1.5 };
    if (does === "succeed") return decided(second, fields);
    const key = `${username} ${address}`;
    const count = Math.max(1, (seen.get(key) ?? 0) + (does === "guess" ? 1 : 0));
    seen.set(key, count);
    return wrong(second, count, fields);
  });
}

const withControls = (more: object) => ({ auth: { controls: { enabled: ["brute_force"], ...more } } });

test("a success that is recorded at once, and one that goes through all steps, lead to the same report", async () => {
  const tolerant = { tolerate_ttl: "1h", tolerate_percent: 50, rwp_allowed_unique_hashes: 2 };
  const wide = { ...rule, name: "wide", cidr: 16, failed_requests: 4, filter_by_protocol: ["imap"] };
  const buckets = [{ ...rule, failed_requests: 3 }, wide, { ...rule, name: "six", cidr: 48, ipv4: false, ipv6: true }];
  const exempt = { allowlist: { alice: ["192.0.2.77"] } };
  const before = withControls({ brute_force: { buckets: buckets.slice(1), ...tolerant } });
  const afters = [
    withControls({ brute_force: { buckets, ...tolerant, ...exempt } }),
    withControls({
      enabled: ["brute_force", "tls_encryption"],
      brute_force: { buckets, ...tolerant, mode: "observe" },
    }),
    withControls({ brute_force: { buckets, tolerate_ttl: 0 } }),
  ];
  let differing = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 30, maxLength: 80 }),
      fc.constantFrom(...afters),
      async (steps, after) => {
        const lines = linesOf(steps);
        const { report, errors } = await reported({ lines, before, after });
        // A field that no gateway writes there makes a line unusual.
        const unusual = lines.map((line) => line.replace('"dialect"', '"unusual":1,"dialect"'));
        const stepwise = await reported({ lines: unusual, before, after });
        expect([errors, report]).toEqual([stepwise.errors, stepwise.report]);
        if (report.different.sign_ins > 0) differing += 1;
      },
    ),
    { numRuns: 20 },
  );
  // Otherwise the logs would prove nothing.
  expect(differing).toBeGreaterThan(3);
});
