import { expect, test } from "vitest";
import { createShadowLog } from "./shadow-log.ts";

test("one line in ten seconds about each subject, with the number of those left out", () => {
  let nowMs = 0;
  const lines: unknown[] = [];
  const write = (fields: object): void => void lines.push(fields);
  const log = createShadowLog({ info: write, warn: write }, { now: () => nowMs });
  for (let line = 0; line < 5; line += 1) log.differs({ session: `s${line}`, kinds: ["missing"] });
  log.undecided({ code: "DIRECTORY_UNAVAILABLE" });
  nowMs = 10_000;
  log.differs({ session: "s5", kinds: ["password"] });
  expect(lines).toEqual([
    { session: "s0", kinds: ["missing"], omitted: 0 },
    { code: "DIRECTORY_UNAVAILABLE", omitted: 0 },
    { session: "s5", kinds: ["password"], omitted: 4 },
  ]);
});
