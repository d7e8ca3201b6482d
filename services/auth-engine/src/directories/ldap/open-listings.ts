import { randomUUID } from "node:crypto";
import { AppError } from "@postern/shared/errors";
import type { Clock } from "@postern/shared/time";
import type { DirectoryContext, ListOutcome } from "../directory.ts";
import { untilOver } from "./deadline.ts";

/** A listing under way. */
export interface AccountPages {
  readonly iterator: AsyncIterator<readonly string[], undefined>;
  /** At once, whatever it waits for; closes its connections. */
  cancel(): void;
}

/** Listings that wait for their reader between two pages. */
export interface OpenListings {
  /** The first page. @throws AppError DIRECTORY_OVERLOADED when too many are open. */
  open(pages: AccountPages, context: DirectoryContext): Promise<ListOutcome>;
  /** @throws AppError DIRECTORY_UNAVAILABLE when nobody asked in time, or this was another process. */
  read(position: string, context: DirectoryContext): Promise<ListOutcome>;
  end(position: string): void;
  close(): void;
}

/** Each one holds a connection to a directory server. */
const maxOpen = 8;
/** Longer than the gateway waits for a slow reader. */
const idleMs = 45_000;

interface Waiting {
  readonly pages: AccountPages;
  readonly timer: NodeJS.Timeout;
}

/** A listing has one reader, who asks for one page after the other; a page that cannot be had ends it. */
export function createOpenListings(clock: Clock): OpenListings {
  const waiting = new Map<string, Waiting>();
  const reading = new Set<AccountPages>();

  const take = (position: string): AccountPages | undefined => {
    const found = waiting.get(position);
    if (found === undefined) return undefined;
    clearTimeout(found.timer);
    waiting.delete(position);
    return found.pages;
  };
  const end = (position: string): void => take(position)?.cancel();
  const keep = (pages: AccountPages): string => {
    const position = randomUUID();
    waiting.set(position, { pages, timer: setTimeout(end, idleMs, position).unref() });
    return position;
  };

  const advance = async (pages: AccountPages, context: DirectoryContext): Promise<ListOutcome> => {
    reading.add(pages);
    try {
      const wait = { context, clock, waitingFor: "a page of an LDAP listing" };
      const { done, value } = await untilOver(pages.iterator.next(), wait);
      if (done === true) return { kind: "ok", accounts: [] };
      return { kind: "ok", accounts: value, next: { text: keep(pages), isHeld: true } };
    } catch (error) {
      pages.cancel();
      throw error;
    } finally {
      reading.delete(pages);
    }
  };

  return {
    open: async (pages, context) => {
      if (waiting.size + reading.size < maxOpen) return advance(pages, context);
      throw new AppError("DIRECTORY_OVERLOADED", { detail: `${maxOpen} LDAP listings are open` });
    },
    read: async (position, context) => {
      const pages = take(position);
      if (pages !== undefined) return advance(pages, context);
      throw new AppError("DIRECTORY_UNAVAILABLE", { detail: "the listing is not open any more" });
    },
    end,
    close: () => {
      for (const position of waiting.keys()) end(position);
      for (const pages of reading) pages.cancel();
    },
  };
}
