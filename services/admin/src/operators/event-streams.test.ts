import { expect, test } from "vitest";
import { createEventStreams } from "./event-streams.ts";

function opened(
  streams: ReturnType<typeof createEventStreams>,
  account: string,
  ended: string[],
  name: string,
): boolean {
  const leave = streams.open(account, () => {
    ended.push(name);
    leave?.();
  });
  return leave !== undefined;
}

test("an account's newest stream replaces its oldest, and other accounts are not affected", () => {
  const ended: string[] = [];
  const streams = createEventStreams({ all: 5, perAccount: 2 });
  const names = ["a1", "b1", "a2", "a3", "b2", "c1"];
  expect(names.map((name) => opened(streams, name.slice(0, 1), ended, name))).toEqual(names.map(() => true));
  expect(ended).toEqual(["a1"]);
  expect(opened(streams, "d", ended, "d1")).toBe(false);
});

test("at shutdown all streams end, and no other begins", () => {
  const ended: string[] = [];
  const streams = createEventStreams();
  for (const name of ["a1", "b1"]) opened(streams, name, ended, name);
  streams.end();
  expect(ended).toEqual(["a1", "b1"]);
  expect(opened(streams, "c", ended, "c1")).toBe(false);
});
