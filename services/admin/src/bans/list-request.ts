import { BruteForceListRequest } from "@postern/shared/contracts";
import { flushedAddress } from "@postern/shared/domain/flush";
import { compileCheck } from "@postern/shared/platform/http";
import { malformed } from "../read-request.ts";

/** Position of the next page: one cursor per list, null when a list is complete. Opaque to callers. */
export interface ListCursor {
  readonly bans: string | null;
  readonly accounts: string | null;
}

export interface ListPage {
  readonly limit: number;
  /** Absent for the first page. */
  readonly cursor: ListCursor | undefined;
}

/** The parameters of a request for the list. */
export interface ListRequest {
  readonly accounts: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Absent if everything is requested. */
  readonly page: ListPage | undefined;
}

const maxLimit = 1000;
const check = compileCheck(BruteForceListRequest);

function textsOf(value: unknown): unknown {
  return typeof value === "string" ? [value] : value;
}

export function encodeCursor(cursor: ListCursor): string {
  return Buffer.from(JSON.stringify([cursor.bans, cursor.accounts])).toString("base64url");
}

function isPlace(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function decodeCursor(text: unknown): ListCursor {
  try {
    const parts: unknown = JSON.parse(Buffer.from(String(text), "base64url").toString("utf8"));
    if (Array.isArray(parts) && parts.length === 2) {
      const [bans, accounts]: readonly unknown[] = parts;
      if (isPlace(bans) && isPlace(accounts)) return { bans, accounts };
    }
  } catch {
    // Not a cursor of ours; rejected below.
  }
  throw malformed("cursor: must be the value of next from a previous page");
}

function pageOf({ limit, cursor }: Readonly<Record<string, unknown>>): ListPage | undefined {
  if (limit === undefined && cursor === undefined) return undefined;
  const size = Number(limit ?? 100);
  if (!Number.isInteger(size) || size < 1 || size > maxLimit)
    throw malformed(`limit: must be a whole number, 1 to ${maxLimit}`);
  return { limit: size, cursor: cursor === undefined ? undefined : decodeCursor(cursor) };
}

/** The filters of a query, if there is no body. */
function filtersOf(query: Readonly<Record<string, unknown>>, body: unknown): unknown {
  if (body !== undefined && body !== null) return body;
  const named = ["accounts", "ip_addresses"].filter((name) => query[name] !== undefined);
  return Object.fromEntries(named.map((name) => [name, textsOf(query[name])]));
}

/**
 * Filters are a JSON body or repeated query parameters, because a GET has no body. Pages use the query parameters `limit` and `cursor`.
 * @throws AppError REQUEST_MALFORMED
 */
export function readListRequest(query: Readonly<Record<string, unknown>>, body: unknown): ListRequest {
  const filters = filtersOf(query, body);
  if (!check.accepts(filters)) throw malformed(check.explain(filters));
  const { accounts = [], ip_addresses: ipAddresses = [] } = filters;
  if (ipAddresses.some((text) => flushedAddress(text) === undefined))
    throw malformed("ip_addresses: must be IP addresses, or networks as they appear in the list");
  return { accounts, ipAddresses, page: pageOf(query) };
}
