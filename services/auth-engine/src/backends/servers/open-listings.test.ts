import { steadyClock } from "@postern/shared/platform/time";
import { expect, test } from "vitest";
import { createOpenListings, type ListingPages } from "./open-listings.ts";

const context = () => ({ deadline: steadyClock.now() + 60_000, signal: new AbortController().signal });

async function* names(): AsyncGenerator<readonly string[], undefined> {
  yield ["alice"];
}

function pages(cancelled: () => void): ListingPages {
  return { iterator: names(), cancel: cancelled };
}

test("listings that are being opened count: of many at once, eight begin", async () => {
  const listings = createOpenListings("remote", steadyClock);
  const begin = () => listings.begin(async () => pages(() => undefined), context());
  const begun = await Promise.allSettled(Array.from({ length: 20 }, begin));
  expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
  listings.close();
});

test("a listing that opens after the backend was closed is ended", async () => {
  const listings = createOpenListings("remote", steadyClock);
  const opened = Promise.withResolvers<ListingPages>();
  let isCancelled = false;
  const begun = listings.begin(() => opened.promise, context());
  listings.close();
  opened.resolve(
    pages(() => {
      isCancelled = true;
    }),
  );
  await expect(begun).rejects.toMatchObject({ code: "DIRECTORY_UNAVAILABLE" });
  expect(isCancelled).toBe(true);
});
