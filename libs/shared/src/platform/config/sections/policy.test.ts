/* oxlint-disable unicorn/no-thenable -- a key of the configuration is named so; it holds no function */
import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";
import { formatProblem } from "../problem.ts";

function load(auth: object) {
  const result = loadConfig({ text: JSON.stringify({ auth }), env: {}, readFile: () => "" });
  return result.ok ? [] : result.problems.map(formatProblem);
}

const always = { always: true };

function rule(change: object) {
  return load({ policy: { policies: [{ name: "r", if: always, then: { decision: "deny" }, ...change }] } });
}

test("policies require no configuration", () => {
  expect(load({})).toEqual([]);
});

test("an unknown fact is rejected with the nearest name", () => {
  expect(rule({ if: { any: [always, { attribute: "request.protokol", eq: "imap" }] } })).toEqual([
    "auth.policy.policies[0].if.any[1].attribute: refers to request.protokol, which is not a fact (did you mean request.protocol?)",
  ]);
});

test.each([
  [{ if: { attribute: "request.protocol", eqq: "imap" } }, "did you mean eq?"],
  [{ if: {} }, "policies[0].if: is required"],
  [{ then: {} }, "then.decision: is required"],
  [{ then: { decision: "neutral" } }, "then.decision: must be one of permit, deny, tempfail"],
  [{ operations: ["authentciate"] }, "did you mean authenticate?"],
  [{ then: { decision: "deny", response_message: { from: "literal" } } }, "response_message.text: is required"],
  [{ then: { decision: "deny", response_message: { from: "i18n" } } }, "response_message.i18n_key: is required"],
  [{ then: { decision: "deny", response_message: { from: "attribute", attribute: "x" } } }, "which is not a fact"],
  [
    {
      then: {
        decision: "deny",
        response_message: { from: "attribute", attribute: "auth.subject.attribute.user_password" },
      },
    },
    "counts as a secret because of its name",
  ],
  [{ then: { decision: "deny", response_language: "d€" } }, "must be a language tag"],
])("%j is rejected", (change, words) => {
  const problems = rule(change);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(words);
});

test("two rules with the same name are rejected", () => {
  const one = { name: "r", if: always, then: { decision: "deny" } };
  expect(load({ policy: { policies: [one, one] } })).toEqual([
    "auth.policy.policies[1].name: repeats the name of an earlier rule; names must be unique",
  ]);
});

test("invalid sets and texts are rejected", () => {
  const sets = { networks: { inside: ["192.0.2.0/99"] }, strings: { mail: "imap" } };
  const catalogs = [{ namespace: "a", language: "en", entries: { b: 1 } }];
  expect(load({ policy: { sets, localization: { catalogs } } })).toHaveLength(3);
});

test("controls: unknown names, a list without lists and invalid allow-lists are rejected", () => {
  const [first, second, third] = load({
    controls: { enabled: ["rbl", "relay_domain"], relay_domains: { allowlist: { alice: ["nowhere"] } } },
  });
  expect(first).toContain("did you mean relay_domains?");
  expect(second).toContain("auth.controls.rbl.lists: is required");
  expect(third).toContain("auth.controls.relay_domains.allowlist.alice");
});

test("a master user format with only one user is rejected", () => {
  expect(load({ pipeline: { master_user: { enabled: true, users: ["m"], user_format: "{user}*" } } })).toEqual([
    "auth.pipeline.master_user.user_format: must contain {user} and {master_user} once each, with a separator between them",
  ]);
});
