import { expect, test } from "vitest";
import { requireMember, requireUserName } from "./select-search.ts";

const people = "ou=people,dc=example,dc=test";

test.each([
  "(mail=%s)",
  "mail=%L{user}",
  "(&(objectClass=person)(|(uid=%{username})(mail=%{user})))",
  "(mail=%{username}*@%{domain})",
  "(cn:caseExactMatch:=%U{user})",
])("a user filter that compares an attribute with the username is accepted: %s", (filter) => {
  expect(() => requireUserName(filter, people)).not.toThrow();
});

test.each([
  "(mail=*)",
  "(objectClass=person)",
  "(!(mail=%s))",
  "(|(mail=%s)(objectClass=person))",
  "(&(objectClass=person)(|(uid=%{user})(mail=*)))",
  "(mail=*@%{domain})",
  "(uid=%{service})",
  "(uid=%%s)",
  "(uid=%%{user})",
  "(uid>=%s)",
])("a user filter that matches independently of the username is rejected: %s", (filter) => {
  expect(() => requireUserName(filter, people)).toThrow(/CONFIG_INVALID.*regardless of the user name/);
});

test("a search base that contains the username is sufficient", () => {
  expect(() => requireUserName("(objectClass=person)", `uid=%{user},${people}`)).not.toThrow();
  expect(() => requireUserName("(objectClass=person)", `dc=%{domain},${people}`)).toThrow(/CONFIG_INVALID/);
});

test("a group filter must name the member", () => {
  expect(() => requireMember("(&(objectClass=group)(member=%{user_dn}))")).not.toThrow();
  expect(() => requireMember("(|(member=%{user_dn})(cn=everybody))")).not.toThrow();
  expect(() => requireMember("(memberUid=%{account})")).not.toThrow();
  expect(() => requireMember("(objectClass=groupOfNames)")).toThrow(/CONFIG_INVALID.*same groups/);
  expect(() => requireMember("(member=*)")).toThrow(/CONFIG_INVALID/);
});
