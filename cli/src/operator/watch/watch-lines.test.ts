import type { DecisionRecord } from "@postern/shared/contracts";
import { expect, test } from "vitest";
import { charactersOf } from "../paint.ts";
import { decisionLines, droppedLine, sourcesLine } from "./watch-lines.ts";

const denied: DecisionRecord = {
  time: "2030-05-06T13:55:01.000Z",
  first_time: "2030-05-06T13:55:01.000Z",
  count: 1,
  outcome: "denied",
  reason: "wrong_password",
  text: "wrong password",
  channel: "mail",
  protocol: "imap",
  client: "K-9 Mail",
  client_ip: "203.0.113.77",
  account: "alice@example.test",
  username: "al",
  instance: "a",
  session: "57c2f2e0-876f-401e-b34d-377a22d87995",
};

const paint = (colour: string, text: string): string => (colour === "dim" ? text : `<${colour}>${text}`);

test("without a terminal, a decision is a line with everything", () => {
  expect(decisionLines(denied, { columns: undefined, paint: (_colour, text) => text })).toEqual([
    "2030-05-06T13:55:01.000Z  denied     203.0.113.77     imap K-9 Mail  alice@example.test (al)  wrong password  57c2f2e0-876f",
  ]);
});

test("on a wide terminal, a decision is a line with a coloured word, cut to the width", () => {
  expect(decisionLines(denied, { columns: 100, paint })).toEqual([
    "13:55:01 <yellow>denied    203.0.113.77     imap K-9 Mail   alice@example.test (al)  wrong password",
  ]);
  const long = { ...denied, outcome: "ok", account: "x".repeat(200) };
  const [line = ""] = decisionLines(long, { columns: 100, paint: (_colour, text) => text });
  expect(charactersOf(line)).toHaveLength(100);
});

test("on a telephone's terminal, a decision is two short lines", () => {
  const lines = decisionLines(denied, { columns: 40, paint: (_colour, text) => text });
  expect(lines).toEqual(["13:55:01 denied    203.0.113.77 imap K-…", "  alice@example.test (al): wrong passwo…"]);
  expect(Math.max(...lines.map((line) => charactersOf(line).length))).toBeLessThanOrEqual(40);
});

test("what is not shown and who reports is said in a sentence", () => {
  expect(droppedLine(1, { columns: 40, paint: (_colour, text) => text })).toBe("… 1 more decision is not shown");
  expect(sourcesLine({ engines: 2, live_engines: 2, identity_providers: 1 })).toBe(
    "2 of 2 engines and 1 identity provider report",
  );
  expect(sourcesLine({ engines: 1, live_engines: 2, identity_providers: 0 })).toBe(
    "1 of 2 engines and 0 identity providers report; the others do not know this command yet, or do not answer",
  );
  expect(sourcesLine({ engines: 0, live_engines: 0, identity_providers: 1 })).toBe("no engine reports; waiting");
});
