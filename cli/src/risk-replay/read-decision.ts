import { type RiskSignal, riskSignals } from "@postern/shared/domain/risk";
import { type Static, Type } from "typebox";
import { Check } from "typebox/value";

/** A gateway's line about a decision, as far as a replay needs it. */
const DecidedLine = Type.Object({
  msg: Type.Literal("decided"),
  time: Type.String(),
  outcome: Type.String(),
  username: Type.String(),
  protocol: Type.String(),
  session: Type.String(),
  reason: Type.Optional(Type.String()),
  client_ip: Type.Optional(Type.String()),
  risk_signals: Type.Optional(Type.String()),
});

export interface LoggedDecision {
  readonly minute: number;
  readonly line: Static<typeof DecidedLine>;
  readonly signals: readonly RiskSignal[];
  /** Signals of another version, which have no weight here. */
  readonly unknownSignals: readonly string[];
  readonly wasRefused: boolean;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Another message with the word in it. */
function isOther(line: unknown): boolean {
  return typeof line === "object" && line !== null && "msg" in line && line.msg !== "decided";
}

const known: ReadonlySet<string> = new Set(riskSignals);

/** Undefined for any other line, because a log has lines of other messages. */
export function readDecision(text: string): LoggedDecision | "unreadable" | undefined {
  // Most lines of a log are cheaper to recognise than to parse.
  if (!text.includes('"decided"')) return undefined;
  const line = parsed(text);
  if (!Check(DecidedLine, line)) return isOther(line) ? undefined : "unreadable";
  const minute = Math.floor(Date.parse(line.time) / 60_000);
  if (!Number.isSafeInteger(minute)) return "unreadable";
  const names = new Set(line.risk_signals?.split(" ").filter((name) => name !== ""));
  const signals = riskSignals.filter((signal) => names.has(signal));
  const unknownSignals = [...names].filter((name) => !known.has(name));
  return { minute, line, signals, unknownSignals, wasRefused: line.outcome === "fail" && line.reason === "risk" };
}
