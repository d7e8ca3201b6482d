import { randomUUID } from "node:crypto";
import { untilOver } from "@postern/shared/platform/concurrency";
import { AppError } from "@postern/shared/platform/errors";
import type { Clock } from "@postern/shared/platform/time";
import type { BackendContext, ListOutcome } from "../backend.ts";

/** A listing in progress. */
export interface AccountPages {
  readonly iterator: AsyncIterator<readonly string[], undefined>;
  /** Ends immediately, without waiting for searches in progress, and closes its connections. */
  cancel(): void;
}

/** Each listing keeps a connection to an LDAP server. */
const maxOpen = 8;
/** Longer than the gateway waits for a slow reader. */
const idleMs = 45_000;

interface OpenListing {
  readonly pages: AccountPages;
  /** Ends a listing that was abandoned; undefined while a page is being read. */
  timer: NodeJS.Timeout | undefined;
}

/** A listing has one reader, who requests one page after the other; a page that fails ends it. */
export function createOpenListings(clock: Clock) {
  const listings = new Map<string, OpenListing>();

  const forget = (position: string): OpenListing | undefined => {
    const listing = listings.get(position);
    clearTimeout(listing?.timer);
    listings.delete(position);
    return listing;
  };
  // Also ends a page that is being read, which is no longer needed.
  const end = (position: string): void => forget(position)?.pages.cancel();

  const advance = async (position: string, listing: OpenListing, context: BackendContext): Promise<ListOutcome> => {
    clearTimeout(listing.timer);
    listing.timer = undefined;
    try {
      const wait = { context, clock, waitingFor: "a page of an LDAP listing" };
      const { done, value } = await untilOver(listing.pages.iterator.next(), wait);
      if (done === true) {
        forget(position);
        return { kind: "ok", accounts: [] };
      }
      listing.timer = setTimeout(end, idleMs, position).unref();
      return { kind: "ok", accounts: value, next: { text: position, isHeld: true } };
    } catch (error) {
      end(position);
      throw error;
    }
  };

  return {
    /** The first page. @throws AppError DIRECTORY_OVERLOADED when too many are open. */
    open: async (pages: AccountPages, context: BackendContext): Promise<ListOutcome> => {
      if (listings.size >= maxOpen) {
        throw new AppError("DIRECTORY_OVERLOADED", { detail: `${maxOpen} LDAP listings are open` });
      }
      const position = randomUUID();
      const listing = { pages, timer: undefined };
      listings.set(position, listing);
      return advance(position, listing, context);
    },
    /** @throws AppError DIRECTORY_UNAVAILABLE if the page was requested too late or belongs to another process. */
    read: async (position: string, context: BackendContext): Promise<ListOutcome> => {
      const listing = listings.get(position);
      if (listing?.timer !== undefined) return advance(position, listing, context);
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the listing has expired or is open in another engine" });
    },
    end,
    close: (): void => {
      for (const position of listings.keys()) end(position);
    },
  };
}
