import { steadyClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createAccountPages } from "./account-pages.ts";

const request = {
  session: "one",
  operation: "list-accounts",
  dialect: "json",
  username: "",
  protocol: "imap",
  method: "plain",
  tls: false,
  memoryCache: true,
  sharedCache: true,
} as const;

test("between two pages of an engine that answers at once, other work is done", async () => {
  const pageCount = 5;
  let left = pageCount;
  const accountPages = createAccountPages(
    {
      request: async () => {
        left -= 1;
        return JSON.parse(JSON.stringify({ accounts: ["a@example.test"], ...(left > 0 && { cursor: "a" }) }));
      },
    },
    steadyClock,
    () => 1000,
  );
  let turns = 0;
  const other = (): void => {
    turns += 1;
    if (left > 0) setImmediate(other);
  };
  setImmediate(other);
  const pages: number[] = [];
  for await (const { accounts } of accountPages(request, new AbortController().signal)) pages.push(accounts.length);
  expect(pages).toHaveLength(pageCount);
  expect(turns).toBeGreaterThanOrEqual(pageCount - 1);
});
