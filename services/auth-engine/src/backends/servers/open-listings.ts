import { randomUUID } from "node:crypto";
import { untilOver } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { BackendContext, ListOutcome } from "../backend.ts";

/** Each listing keeps a connection to a server. */
const maxOpen = 8;
/** The gateway waits less for a slow reader. */
const idleMs = 45_000;

/** The pages of one listing. */
export interface ListingPages {
  readonly iterator: AsyncIterator<readonly string[], undefined>;
  /** Ends immediately, without waiting for a page in progress, and closes its connections. */
  readonly cancel: () => void;
}

interface OpenListing {
  readonly pages: ListingPages;
  /** Ends a listing that was abandoned; undefined while a page is being read. */
  timer: NodeJS.Timeout | undefined;
}

const opened = async (open: () => Promise<ListingPages> | ListingPages): Promise<ListingPages> => open();

function cancelled(pages: ListingPages): AppError {
  pages.cancel();
  return new AppError("DIRECTORY_UNAVAILABLE", { detail: "the backend was closed" });
}

/**
 * Listings that stay open between two pages, in this process only. Each has one reader, who requests one page after the other; a page that
 * fails ends it.
 *
 * @param kind of the backend, for errors: "LDAP"
 */
export function createOpenListings(kind: string, clock: Clock) {
  const listings = new Map<string, OpenListing>();
  let opening = 0;
  let isClosed = false;

  const forget = (position: string): OpenListing | undefined => {
    const listing = listings.get(position);
    clearTimeout(listing?.timer);
    listings.delete(position);
    return listing;
  };
  // This also ends a page that is being read, which is no longer needed.
  const end = (position: string): void => forget(position)?.pages.cancel();

  const advance = async (position: string, listing: OpenListing, context: BackendContext): Promise<ListOutcome> => {
    clearTimeout(listing.timer);
    listing.timer = undefined;
    try {
      const wait = { context, clock, waitingFor: `a page of an ${kind} listing` };
      const { done, value } = await untilOver(listing.pages.iterator.next(), wait);
      if (done === true) {
        forget(position);
        return { kind: "ok", accounts: [] };
      }
      listing.timer = setTimeout(end, idleMs, position).unref();
      return { kind: "ok", accounts: value, next: { text: position, isOpenHere: true } };
    } catch (error) {
      end(position);
      throw error;
    }
  };

  return {
    /** @param open begins the listing, if there is room for one more */
    begin: async (open: () => Promise<ListingPages> | ListingPages, context: BackendContext): Promise<ListOutcome> => {
      if (listings.size + opening >= maxOpen) {
        throw new AppError("DIRECTORY_OVERLOADED", { detail: `${maxOpen} ${kind} listings are open` });
      }
      const first = randomUUID();
      opening += 1;
      const pages = await opened(open).finally(() => {
        opening -= 1;
      });
      if (isClosed) throw cancelled(pages);
      const listing = { pages, timer: undefined };
      listings.set(first, listing);
      return advance(first, listing, context);
    },
    readOn: async (position: string, context: BackendContext): Promise<ListOutcome> => {
      const listing = listings.get(position);
      if (listing?.timer !== undefined) return advance(position, listing, context);
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the listing has expired or is open in another engine" });
    },
    end,
    close: (): void => {
      isClosed = true;
      for (const position of listings.keys()) end(position);
    },
  };
}
