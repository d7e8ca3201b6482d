import { expect, test } from "vitest";
import { loadConfig } from "../load.ts";

const callers = `auth: { backchannel: { basic_auth: { enabled: true, username: pair, password: a-long-password-of-a-pair }, callers: [
      { name: mx1, password: a-long-password-of-mx1, next_password: a-long-password-of-mx1 },
      { name: mx1, password: a-long-password-of-mx2 },
      { name: pair, password: short, networks: [mail.example.test] },
      { operations: [authenticate, flushUserCache, flsh] },
      { name: "mx 5", password: a-long-password-of-mx5 } ] } }`;

test("callers have different names and passwords, known operations and readable networks", () => {
  const result = loadConfig({ text: callers, env: {}, readFile: () => "" });
  const problems = result.ok ? [] : result.problems;
  expect(problems.map(({ path }) => path)).toEqual([
    "auth.backchannel.callers[0].next_password",
    "auth.backchannel.callers[1].name",
    "auth.backchannel.callers[2].name",
    "auth.backchannel.callers[2].networks",
    "auth.backchannel.callers[2].password",
    "auth.backchannel.callers[3].name",
    "auth.backchannel.callers[3].operations[2]",
    "auth.backchannel.callers[3].password",
    "auth.backchannel.callers[4].name",
  ]);
  expect(problems.find(({ path }) => path.endsWith("operations[2]"))?.hint).toBe("did you mean flush?");
});

test("named callers are sufficient: without basic_auth, no warning says that no caller is accepted", () => {
  const text = "auth: { backchannel: { callers: [{ name: mx1, password: a-long-password-of-mx1 }] } }";
  const result = loadConfig({ text, env: {}, readFile: () => "" });
  expect(result.ok && result.warnings.map(({ path }) => path)).not.toContain("auth.backchannel");
});

/** Problems of callers, with these domains. */
const pathsOf = (domains: string) => {
  const result = loadConfig({
    text: `{ auth: { domains: ${domains}, backchannel: { jwt: { users: [{ username: desk, domains: ["not a domain"] }] }, callers: [
      { name: mx1, password: a-long-password-of-mx1, domains: [a.test, B.test], default_domain: b.test },
      { name: mx2, password: a-long-password-of-mx2, domains: [a.test], default_domain: b.test },
      { name: mx3, password: a-long-password-of-mx3, default_domain: "a b" }] } } }`,
    env: {},
    readFile: () => "",
  });
  const problems = result.ok ? [] : result.problems.map(({ path }) => path);
  return problems.map((path) => path.replace("auth.backchannel.", ""));
};

test("domains of callers are domain names, need records or a source, and include the default domain", () => {
  expect(pathsOf("{ records: [{ name: a.test }] }")).toEqual([
    "callers[1].default_domain",
    "callers[2].default_domain",
    "jwt.users[0].domains[0]",
  ]);
  expect(pathsOf("{}")).toEqual(
    expect.arrayContaining(["callers[0].domains", "callers[1].domains", "jwt.users[0].domains"]),
  );
});
