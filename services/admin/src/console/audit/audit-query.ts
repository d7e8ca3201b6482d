import { auditFilters } from "@postern/shared/contracts";
import type { AuditEntry, AuditHistoryQuery } from "@postern/shared/domain/history";
import { malformed } from "../../read-request.ts";
import { domainOf } from "../query.ts";

/** What an operator asks of the audit history. */
export interface AuditQuery extends Pick<AuditHistoryQuery, "sinceMs" | "untilMs" | "matches"> {
  readonly domain: string | undefined;
  /** The filter in words, for the audit record about the query. */
  readonly filter: string | undefined;
}

type Filters = Readonly<Partial<Record<keyof typeof auditFilters, string>>>;

const maxLength = 256;
const outcomes = ["ok", "denied", "failed", "undecided"];
const isoTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/u;

/** Without a zone, a time is in UTC, as the console shows it. */
function timeOf(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isZoned = /(?:Z|[+-]\d\d:\d\d)$/u.test(text) || !/[T ]/u.test(text);
  const ms = isoTime.test(text) ? Date.parse((isZoned ? text : `${text}Z`).replace(" ", "T")) : Number.NaN;
  if (Number.isNaN(ms)) throw malformed(`${name}: must be a time such as 2030-05-06T13:50:00Z`);
  return ms;
}

function contains(text: string | undefined, part: string | undefined): boolean {
  return part === undefined || (text?.toLowerCase().includes(part) ?? false);
}

function matcher({ actor, target, event, outcome }: Filters): (entry: AuditEntry) => boolean {
  const [actorPart, targetPart] = [actor?.toLowerCase(), target?.toLowerCase()];
  return (entry) => {
    const { event: name = "" } = entry;
    return (
      (event === undefined || name === event || name.startsWith(`${event}.`)) &&
      (outcome === undefined || entry["outcome"] === outcome) &&
      contains(entry["actor"], actorPart) &&
      (contains(entry["target"], targetPart) || contains(entry["account"], targetPart))
    );
  };
}

function filtersIn(query: unknown): Filters {
  const values: Record<string, string> = {};
  for (const name of Object.keys(auditFilters)) {
    const value: unknown = Object(query)[name];
    if (value === undefined || value === "") continue;
    if (typeof value !== "string" || value.length > maxLength)
      throw malformed(`${name}: must be one text of at most ${maxLength} characters`);
    const text = value.trim();
    if (text !== "") values[name] = text;
  }
  return values;
}

/** @throws AppError REQUEST_MALFORMED */
export function auditQueryIn(query: unknown): AuditQuery {
  const filters = filtersIn(query);
  const { outcome, since, until } = filters;
  if (outcome !== undefined && !outcomes.includes(outcome))
    throw malformed(`outcome: must be one of ${outcomes.join(", ")}`);
  const domain = domainOf(filters);
  const words = Object.entries(filters).map(([name, value]) => `${name}=${value}`);
  return {
    sinceMs: timeOf("since", since),
    untilMs: timeOf("until", until),
    matches: matcher(filters),
    domain,
    filter: words.length === 0 ? undefined : words.join(" "),
  };
}
