import type { AuditRecord } from "@postern/shared/domain/audit";
import { expect, test } from "vitest";
import { createAuditReads } from "./audit-reads.ts";

const read = { event: "account.read", actor: "helen", target: "alice@example.test", session: "s1" } as const;

function recording() {
  const records: AuditRecord[] = [];
  return { records, audit: createAuditReads({ record: (record) => records.push(record) }) };
}

test("a page that asks three operations about an account is one record", () => {
  const { records, audit } = recording();
  for (const target of ["alice@example.test", "Alice@example.test", " alice@example.test"]) audit({ ...read, target });
  expect(records).toEqual([{ ...read, outcome: "ok" }]);
});

test.each([{ session: "s2" }, { target: "bob@example.test" }, { actor: "hugo" }, { event: "network.read" as const }])(
  "another request, target, actor or event is another record: %j",
  (other) => {
    const { records, audit } = recording();
    audit(read);
    audit({ ...read, ...other });
    expect(records).toHaveLength(2);
  },
);

test("the memory of recorded reads is bounded, and a forgotten read is recorded again", () => {
  const { records, audit } = recording();
  for (let index = 0; index <= 1024; index += 1) audit({ ...read, session: String(index) });
  audit({ ...read, session: "0" });
  expect(records).toHaveLength(1026);
});
