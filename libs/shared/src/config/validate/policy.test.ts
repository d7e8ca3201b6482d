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

test("nothing about policies is needed", () => {
  expect(load({})).toEqual([]);
});

test("an unknown fact is refused with the nearest name", () => {
  expect(rule({ if: { any: [always, { attribute: "request.protokol", eq: "imap" }] } })).toEqual([
    "auth.policy.policies[0].if.any[1].attribute: names request.protokol, which is no fact (did you mean request.protocol?)",
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
  [{ then: { decision: "deny", response_message: { from: "attribute", attribute: "x" } } }, "which is no fact"],
  [
    {
      then: {
        decision: "deny",
        response_message: { from: "attribute", attribute: "auth.subject.attribute.user_password" },
      },
    },
    "is a secret by its name",
  ],
  [{ then: { decision: "deny", response_language: "d€" } }, "must be a language tag"],
])("%j is refused", (change, words) => {
  const problems = rule(change);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(words);
});

test("two rules of one name are refused", () => {
  const one = { name: "r", if: always, then: { decision: "deny" } };
  expect(load({ policy: { policies: [one, one] } })).toEqual([
    "auth.policy.policies[1].name: is the name of an earlier rule too",
  ]);
});

test("wrong sets and texts are refused", () => {
  const sets = { networks: { inside: ["192.0.2.0/99"] }, strings: { mail: "imap" } };
  const catalogs = [{ namespace: "a", language: "en", entries: { b: 1 } }];
  expect(load({ policy: { sets, localization: { catalogs } } })).toHaveLength(3);
});

test("controls: unknown names, a list without lists and wrong allow-lists are refused", () => {
  const [first, second, third] = load({
    controls: { enabled: ["rbl", "relay_domain"], relay_domains: { allowlist: { alice: ["nowhere"] } } },
  });
  expect(first).toContain("did you mean relay_domains?");
  expect(second).toContain("auth.controls.rbl.lists: is required");
  expect(third).toContain("auth.controls.relay_domains.allowlist.alice");
});

test("a master user's format that names one user only is refused", () => {
  expect(load({ pipeline: { master_user: { enabled: true, users: ["m"], user_format: "{user}*" } } })).toEqual([
    "auth.pipeline.master_user.user_format: must hold {user} and {master_user} once each, with a sign between them",
  ]);
});
