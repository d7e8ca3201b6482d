import { expect, test } from "vitest";
import { sampleRecord } from "../sign-ins/testing/sample-history.ts";
import { accountAndProgram, hasProgram, programOfRecent, programsOf } from "./program-search.ts";

test("the first word is the account, the others are the program", () => {
  expect(accountAndProgram(" alice@example.test  Thunderbird 128 ")).toEqual({
    account: "alice@example.test",
    program: "Thunderbird 128",
  });
  for (const query of ["alice", "", "203.0.113.9 iPhone", "203.0.113.0/24 iPhone"])
    expect(accountAndProgram(query)).toBeUndefined();
});

test("a program alone is looked for in the latest three accounts that were searched", () => {
  const searches = ["iPhone", "alice", "203.0.113.9", "alice iPhone", "bob", "carol", "dave"];
  expect(programOfRecent("iPhone", searches).map(({ account }) => account)).toEqual(["alice", "bob", "carol"]);
  expect(programOfRecent("alcie@example.test", searches)).toEqual([]);
});

test("a program has every word in any letter case", () => {
  const iphone = { client: "iPhone Mail (21A329)" };
  expect(["iphone", "IPHONE mail", "21a329 iPhone"].map((text) => hasProgram(iphone, text))).toEqual([
    true,
    true,
    true,
  ]);
  expect(["iPhone 15", "Thunderbird"].map((text) => hasProgram(iphone, text))).toEqual([false, false]);
  expect(hasProgram({}, "iPhone")).toBe(false);
});

test("programs are counted, the most frequent first", () => {
  const records = ["Thunderbird", "iPhone Mail", "Thunderbird", undefined].map((client) =>
    sampleRecord(1, { ...(client !== undefined && { client }) }),
  );
  expect(programsOf(records.slice(0, 3))).toEqual([
    ["Thunderbird", 2],
    ["iPhone Mail", 1],
  ]);
});
