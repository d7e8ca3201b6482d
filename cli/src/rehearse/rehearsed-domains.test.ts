/* oxlint-disable unicorn/no-thenable -- the configuration has a key of this name; its value is not a function */

import { describe, expect, test } from "vitest";
import { decided, reported as reportedWith } from "./testing/rehearsed-logs.ts";

const reported = (situation: Parameters<typeof reportedWith>[0], ...flags: readonly string[]) =>
  reportedWith(situation, "--no-look-ups", ...flags);

const record = (name: string, more: object = {}) => ({ name, ...more });

const domains = (records: readonly object[], more: object = {}) => ({
  auth: { domains: { records, default: { enabled: true }, ...more } },
});

const denying = (condition: object) => ({
  policy: { mode: "enforce", policies: [{ name: "no", if: condition, then: { decision: "deny" } }] },
});

const source = { kind: "ldap", base_dn: "ou=domains", filter: "(ou=%{domain})", attributes: { name: "ou" } };

const lines = ["ann@a.example", "bob@b.example", "carol"].map((username, second) => decided(second, { username }));

type Reported = Awaited<ReturnType<typeof reported>>["report"];
const groupsOf = ({ groups }: Reported) =>
  groups.map(({ after, account_names: names }: Reported) => [after, names]).toSorted();

describe("records in the configuration apply", () => {
  test("a domain that is disabled, one with other protocols, and one of which only an alias is typed", async () => {
    const after = domains([
      record("z.example", { aliases: ["a.example"], enabled: false }),
      record("b.example", { protocols: ["smtp"] }),
    ]);
    const { report, errors } = await reported({ lines, before: {}, after });
    expect([errors, groupsOf(report)]).toEqual([[], [["refused (domain)", ["ann@a.example", "bob@b.example"]]]]);
    expect(report.not_judged).toContainEqual({ reason: expect.stringContaining("auth.domains differs"), count: 3 });
  });

  test("a domain without a record is unknown to all backends, and what they would say once it is served is unknown", async () => {
    const served = domains([record("a.example")], { default: { enabled: false } });
    const fewer = await reported({ lines, before: {}, after: served });
    expect(groupsOf(fewer.report)).toEqual([["refused (unknown_user)", ["bob@b.example", "carol"]]]);
    const denied = decided(9, { username: "bob@b.example", outcome: "fail", reason: "unknown_user" });
    const all = domains([record("a.example"), record("b.example")], { default: { enabled: false } });
    const more = await reported({ lines: [denied], before: served, after: all });
    expect([more.report.now_admitted.sign_ins, more.report.ban_lifted.sign_ins]).toEqual([0, 1]);
  });

  test("a denial by the rules of a domain does not say whether the password was right", async () => {
    const line = decided(1, { username: "ann@a.example", outcome: "fail", reason: "domain" });
    const disabled = domains([record("a.example", { enabled: false })]);
    const same = await reported({ lines: [line], before: disabled, after: disabled });
    expect(same.report.different.sign_ins).toBe(0);
    const { report } = await reported({ lines: [line], before: disabled, after: domains([record("a.example")]) });
    expect([report.now_admitted.sign_ins, report.ban_lifted.sign_ins]).toEqual([0, 1]);
  });

  test("a master user opens accounts of the own domain only, and what is disabled is the opened one", async () => {
    const pipeline = {
      master_user: { enabled: true, user_format: "{user}*{master_user}", users: ["root", "boss@b.example"] },
    };
    const master = ["ann@a.example*root", "ann@a.example*boss@b.example", "bob@b.example*root"].map(
      (username, second) => decided(second, { username }),
    );
    const after = domains([record("a.example", { enabled: false }), record("b.example")]);
    const { report, errors } = await reported({
      lines: master,
      before: { auth: { pipeline } },
      after: { auth: { ...after.auth, pipeline } },
    });
    expect(errors).toEqual([]);
    expect(groupsOf(report)).toEqual([["refused (domain)", ["ann@a.example*root", "ann@a.example*boss@b.example"]]]);
  });
});

describe("policies about domains", () => {
  const byName = denying({ attribute: "auth.domain.name", eq: "a.example" });
  const byPlan = denying({ attribute: "auth.domain.attribute.plan", contains: "trial" });

  test("are evaluated with the records of the configuration", async () => {
    const { auth } = domains([record("a.example", { attributes: { plan: "trial" } })]);
    for (const policy of [byName, byPlan]) {
      const { report } = await reported({ lines, before: { auth }, after: { auth: { ...auth, ...policy } } });
      expect(groupsOf(report)).toEqual([["refused (policy no)", ["ann@a.example"]]]);
    }
    const renamed = domains([record("c.example", { aliases: ["a.example"] })]);
    const found = await reported({
      lines,
      before: { auth: { ...auth, ...byName } },
      after: { auth: { ...renamed.auth, ...byName } },
    });
    expect(found.report.now_admitted.sign_ins).toBe(1);
  });

  test("are listed as not evaluated if records have a source, and fail --fail-over", async () => {
    const ldap = { default: { server_uri: ["ldap://ldap.example.net"] } };
    const auth = { ...domains([], { source }).auth, backends: { ldap } };
    for (const policy of [byName, byPlan]) {
      const after = { auth: { ...auth, ...policy } };
      const { report, exitCode, errors } = await reported({ lines, before: { auth }, after }, "--fail-over", "0%");
      expect(errors).toEqual(["100% could not be evaluated, which is more than --fail-over 0%"]);
      expect([exitCode, report.different.sign_ins]).toEqual([1, 0]);
      expect(report.not_judged).toContainEqual({
        reason: "a policy depends on auth.domain, which the log does not contain",
        count: 3,
      });
    }
  });

  test("that did not change decide the same about the same records of a source", async () => {
    const ldap = { default: { server_uri: ["ldap://ldap.example.net"] } };
    const auth = { ...domains([], { source }).auth, backends: { ldap }, ...byName };
    const controls = { enabled: ["relay_domains"], relay_domains: { static: ["a.example"] } };
    const { report, errors } = await reported({ lines, before: { auth }, after: { auth: { ...auth, controls } } });
    expect(errors).toEqual([]);
    // Only of the one that a control decides differently, nobody knows what the policy would say.
    expect(report.not_judged).toContainEqual({ reason: expect.stringContaining("depends on auth.domain"), count: 1 });
  });
});
