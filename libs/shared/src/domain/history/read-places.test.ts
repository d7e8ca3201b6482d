import { expect, test } from "vitest";
import { joined, type Stored } from "./read-places.ts";

const dayMs = 86_400_000;
const day = 22_000;

const stored = (more: Partial<Stored>): Stored => ({
  identity: "identity",
  timeMs: day * dayMs,
  firstMs: day * dayMs,
  count: 1,
  outcome: "ok",
  channel: "mail",
  account: "alice",
  username: "alice",
  clientIp: "203.0.113.9",
  protocol: "imap",
  reason: "",
  rule: "",
  step: "",
  client: "",
  instance: "",
  session: "s",
  ...more,
});

test("two parts of a record have the days of both", () => {
  const one = stored({
    count: 5,
    days: [
      { day, count: 3 },
      { day: day - 2, count: 2 },
    ],
  });
  const other = stored({
    timeMs: day * dayMs + 1000,
    count: 4,
    days: [
      { day, count: 1 },
      { day: day - 1, count: 3 },
    ],
  });
  const days = [
    { day, count: 4 },
    { day: day - 1, count: 3 },
    { day: day - 2, count: 2 },
  ];
  expect(joined([one, other])).toMatchObject([{ count: 9, days }]);
  const without = stored({ timeMs: day * dayMs + 2000, count: 7 });
  expect(joined([one, without])).toMatchObject([
    {
      count: 12,
      days: [
        { day, count: 10 },
        { day: day - 2, count: 2 },
      ],
    },
  ]);
  expect(joined([without, stored({})])[0]).not.toHaveProperty("days");
});
