import { expect, test } from "vitest";
import { createPolicyLog } from "./policy-log.ts";

function logged() {
  const warnings: unknown[] = [];
  const lines: (readonly unknown[])[] = [];
  const logger = Object.assign(Object.create(null), { warn: (line: unknown) => void warnings.push(line) });
  const log = createPolicyLog({ logger, lineWriter: () => (values) => void lines.push(values) });
  return { log, warnings, lines };
}

test("a member that is ignored is logged once, and only so many of them", () => {
  const { log, warnings } = logged();
  log.ignoredMembers(["ja3", "geo"]);
  log.ignoredMembers(["geo"]);
  expect(warnings).toEqual([{ member: "ja3" }, { member: "geo" }]);
  log.ignoredMembers(Array.from({ length: 100 }, (_, index) => `member-${index}`));
  expect(warnings).toHaveLength(32);
});

test("a client that the caller did not name is not in the line", () => {
  const { log, lines } = logged();
  const login = { session: "s", username: "a\u0007b", protocol: "imap", clientIp: "203.0.113.1", tls: true };
  log.answered("allow", { ...login, clientIpIsPeer: true }, { outcome: "accepted" }, 0.001);
  expect(lines[0]).not.toContain("203.0.113.1");
  expect(lines[0]).not.toContain("a\u0007b");
});
