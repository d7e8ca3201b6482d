import { Dialect } from "@postern/shared/contracts";
import { Check } from "typebox/value";

/** A recorded sign-in or look-up. */
export interface SignIn {
  readonly timeMs: number;
  readonly session: string;
  readonly dialect: Dialect;
  readonly operation: "authenticate" | "lookup";
  readonly outcome: "ok" | "fail" | "blocked" | "tempfail";
  /** The denial reason, the rule of a ban, or the error code; empty for a success. */
  readonly reason: string;
  readonly username: string;
  readonly protocol: string;
  readonly clientIp: string | undefined;
  readonly tls: boolean;
  /** Distinct wrong passwords of the account from its network; undefined if this guess was not counted, or that was not recorded. */
  readonly accountPasswords: number | undefined;
  /** Distinct guesses from the network. */
  readonly networkGuesses: number;
  /** How many equal sign-ins this stands for. */
  readonly count: number;
}

let minuteText = "";
let minuteMs = Number.NaN;

/** As `Date.parse` of the logger's times, of which many share a minute. */
function timeOf(text: string): number {
  const minute = text.slice(0, 16);
  if (minute !== minuteText) {
    minuteText = minute;
    minuteMs = Date.parse(`${minute}:00.000Z`);
  }
  if (text.length === 24 && text.endsWith("Z")) return minuteMs + Math.round(Number(text.slice(17, 23)) * 1000);
  return Date.parse(text);
}

const outcomes: ReadonlySet<unknown> = new Set(["ok", "fail", "blocked", "tempfail"]);
const isOutcome = (value: unknown): value is SignIn["outcome"] => outcomes.has(value);
const known = new Map<unknown, boolean>();

export function isDialect(value: unknown): value is Dialect {
  let answer = known.get(value);
  if (answer === undefined) {
    answer = Check(Dialect, value);
    if (known.size < 100) known.set(value, answer);
  }
  return answer;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

function parsed(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const figureOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

/** Undefined for a line that is no decision of a gateway, although it ends as one. */
export function readSignIn(line: string): SignIn | undefined {
  const fields = parsed(line);
  if (fields === undefined) return undefined;
  const { outcome, dialect, operation, username, protocol } = fields;
  const timeMs = timeOf(textOf(fields["time"]));
  if (!Number.isSafeInteger(timeMs) || !isOutcome(outcome) || !isDialect(dialect)) return undefined;
  if (operation !== "authenticate" && operation !== "lookup") return undefined;
  if (typeof username !== "string" || typeof protocol !== "string" || protocol === "") return undefined;
  return {
    timeMs,
    session: textOf(fields["session"]),
    dialect,
    operation,
    outcome,
    reason: textOf(fields["reason"]),
    username,
    protocol,
    clientIp: textOf(fields["client_ip"]) || undefined,
    tls: fields["tls"] === true,
    accountPasswords: figureOf(fields["account_passwords_seen"]),
    networkGuesses: figureOf(fields["total_passwords_seen"]) ?? 0,
    count: 1,
  };
}
