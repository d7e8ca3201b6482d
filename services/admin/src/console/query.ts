import type { LiveDomains } from "@postern/shared/assembly";
import { AppError } from "@postern/shared/platform/errors";
import { canonicalDomain } from "@postern/shared/platform/net";
import { malformed } from "../read-request.ts";
import { type Subject, subjectOf } from "./subject.ts";

/** What limits callers to domains. */
export interface OfDomains {
  readonly domains: Pick<LiveDomains, "current">;
}

const longest = 1024;

/** One text of a query. @throws AppError REQUEST_MALFORMED */
export function textOf(query: unknown, name: string): string | undefined {
  const value: unknown = Object(query)[name];
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value.trim() === "" || value.length > longest)
    throw malformed(`${name}: must be one text of 1 to ${longest} characters`);
  return value;
}

/** One whole number of a query. @throws AppError REQUEST_MALFORMED */
export function numberOf(query: unknown, name: string, { usual, max }: { usual: number; max: number }): number {
  const number = Number(textOf(query, name) ?? usual);
  if (!Number.isInteger(number) || number < 1 || number > max)
    throw malformed(`${name}: must be a whole number, 1 to ${max}`);
  return number;
}

/** One domain of a query, spelled as domains are compared. @throws AppError REQUEST_MALFORMED */
export function domainOf(query: unknown): string | undefined {
  const text = textOf(query, "domain");
  const name = text === undefined ? undefined : canonicalDomain(text.trim());
  if (text !== undefined && name === undefined) throw malformed("domain: must be a domain name");
  return name;
}

/** One text of a query that must have it. @throws AppError REQUEST_MALFORMED */
export function requiredText(query: unknown, name: string): string {
  const text = textOf(query, name);
  if (text === undefined) throw malformed(`${name}: is required`);
  return text;
}

/** An address, or a network whose sign-ins are recorded as those of one. @throws AppError REQUEST_MALFORMED */
export function placeIn(text: string): Extract<Subject, { readonly kind: "address" | "network" }> {
  const subject = subjectOf(text);
  if (subject.kind !== "address" && subject.kind !== "network")
    throw malformed("network: must be an IP address or a network in CIDR notation");
  if (subject.kind === "network" && subject.isWide)
    throw malformed("network: must be an IPv4 /24, an IPv6 /48 or a network within one");
  return subject;
}

/** Errors of Redis as the caller sees them. */
export function unreadable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof RangeError) return malformed("cursor: must be the value of next from a previous page");
  return new AppError("REDIS_UNAVAILABLE", { detail: "stored records cannot be read", cause });
}

/** The same, to catch what a promise rejects with. */
export function throwUnreadable(cause: unknown): never {
  throw unreadable(cause);
}
