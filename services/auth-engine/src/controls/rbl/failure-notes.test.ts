import { expect, test } from "vitest";
import { createFailureNotes, type FailureNote } from "../context.ts";

test("the first failure of each list is reported immediately, those of the next minute together", () => {
  const time = { now: 0 };
  const notes: FailureNote[] = [];
  const failed = createFailureNotes({ now: () => time.now }, 60_000, (note) => void notes.push(note));
  for (let count = 0; count < 100; count += 1) failed("one", "SERVFAIL");
  failed("two", "timeout");
  expect(notes).toEqual([
    { list: "one", reason: "SERVFAIL", failures: 1 },
    { list: "two", reason: "timeout", failures: 1 },
  ]);
  time.now = 60_000;
  failed("one", "timeout");
  expect(notes.slice(2)).toEqual([{ list: "one", reason: "timeout", failures: 100 }]);
});
