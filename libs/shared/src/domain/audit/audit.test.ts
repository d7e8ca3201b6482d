import { readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { createAudit, createAuditStream, truncateAddress } from "./audit.ts";

function linesOf(file: string): readonly unknown[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

const place = { service: "admin", instance: "a@b:1" };
const open = (file: string) => createAuditStream(place, { write: () => true }, file, () => undefined);

test("a record becomes one line with its name, its time and a shortened address", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "audit.log");
  const stream = open(file);
  const audit = createAudit(stream.write, { truncation: { ipv4Bits: 24, ipv6Bits: 64 }, domainOf: () => undefined });
  audit.record({ event: "token.login", outcome: "ok", actor: "operator", clientIp: "192.0.2.77", session: "s" });
  expect(linesOf(file)).toEqual([
    {
      level: "info",
      audit: true,
      service: "admin",
      instance: "a@b:1",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      event: "token.login",
      outcome: "ok",
      actor: "operator",
      session: "s",
      client_ip: "192.0.2.0/24",
    },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a file that was moved away is reopened", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "audit.log");
  const stream = open(file);
  stream.write({ event: "one" });
  renameSync(file, `${file}.1`);
  stream.reopen();
  stream.write({ event: "two" });
  expect(linesOf(`${file}.1`)).toMatchObject([{ event: "one" }]);
  expect(linesOf(file)).toMatchObject([{ event: "two" }]);
});

test("a file that cannot be opened is reported immediately", () => {
  expect(() => open(join(import.meta.filename, "audit.log"))).toThrow(/ENOTDIR/u);
});

test("a line that standard output drops is reported as lost", () => {
  const lost: unknown[] = [];
  let room = true;
  const stream = createAuditStream(place, { write: () => room }, "", (error) => lost.push(error));
  expect([stream.write({ event: "one" }), lost.length]).toEqual([true, 0]);
  room = false;
  expect([stream.write({ event: "two" }), lost.length]).toEqual([false, 1]);
});

test("text from a request can neither add a line nor make one endless", () => {
  const written: object[] = [];
  const audit = createAudit((fields) => written.push(fields), {
    truncation: { ipv4Bits: 32, ipv6Bits: 128 },
    domainOf: () => undefined,
  });
  audit.record({ event: "token.login", outcome: "denied", actor: "x".repeat(9000), clientIp: "not an address" });
  expect(written).toEqual([{ event: "token.login", outcome: "denied", actor: `${"x".repeat(512)}…` }]);
});

test.each([
  ["192.0.2.77", 32, "192.0.2.77"],
  ["192.0.2.77", 24, "192.0.2.0/24"],
  ["::ffff:192.0.2.77", 16, "192.0.0.0/16"],
  ["2001:db8:1:2:3:4:5:6", 64, "2001:db8:1:2::/64"],
  ["2001:db8:1:2:3:4:5:6", 128, "2001:db8:1:2:3:4:5:6"],
  ["192.0.2.77", 0, "0.0.0.0/0"],
])("%s with %i bits is %s", (address, bits, expected) => {
  expect(truncateAddress(address, { ipv4Bits: bits, ipv6Bits: bits })).toBe(expected);
});

test("a record names the domain of its account, apart from that of the actor", () => {
  const written: object[] = [];
  const audit = createAudit((fields) => written.push(fields), {
    truncation: { ipv4Bits: 32, ipv6Bits: 128 },
    domainOf: (account) => account.split("@")[1],
  });
  const actor = { actor: "reseller", actorDomain: "a.test,b.test" };
  audit.record({ event: "account.suspend", outcome: "ok", ...actor, target: "ann@a.test" });
  audit.record({ event: "account.read", outcome: "ok", ...actor, target: "ann@a.test bob@b.test" });
  audit.record({ event: "audit.read", outcome: "ok", ...actor, target: "target=ann@a.test" });
  audit.record({ event: "domain.flush", outcome: "ok", actor: "root@c.test", target: "b.test", domain: "b.test" });
  const domains = written.map((line) => [Reflect.get(line, "domain"), Reflect.get(line, "actor_domain")]);
  expect(domains).toEqual([
    ["a.test", "a.test,b.test"],
    [undefined, "a.test,b.test"],
    [undefined, "a.test,b.test"],
    ["b.test", undefined],
  ]);
  expect(Object.keys(written[0] ?? {})).not.toContain("actorDomain");
});
