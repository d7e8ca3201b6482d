import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseMasterUserFormat } from "./auth-pipeline.ts";

test.each([
  ["{user}*{master_user}", "alice*admin", { user: "alice", masterUser: "admin" }],
  ["{user}*{master}", "alice*admin", { user: "alice", masterUser: "admin" }],
  ["{master_user}/as/{user}", "admin/as/alice", { user: "alice", masterUser: "admin" }],
  ["<{user}*{master_user}>", "<alice*admin>", { user: "alice", masterUser: "admin" }],
  ["{user}*{master_user}", "alice", undefined],
  ["{user}*{master_user}", "alice*", undefined],
  ["{user}*{master_user}", "*admin", undefined],
  ["{user}*{master_user}", "alice*bob*admin", undefined],
])("%s parses %s as %j", (format, username, expected) => {
  expect(parseMasterUserFormat(format)?.parse(username)).toEqual(expected);
});

test.each(["*", "{user}{master_user}", "{user}*{user}", "{user}*", "{user}*{master_user}*{user}", ""])(
  "%s is not a valid format",
  (format) => {
    expect(parseMasterUserFormat(format)).toBeUndefined();
  },
);

const name = fc.stringMatching(/^[a-z@.]{1,20}$/);

test("a composed login is parsed into its parts", () => {
  fc.assert(
    fc.property(name, name, (user, masterUser) => {
      expect(parseMasterUserFormat("{user}*{master_user}")?.parse(`${user}*${masterUser}`)).toEqual({
        user,
        masterUser,
      });
    }),
  );
});
