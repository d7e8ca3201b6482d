import type { Clock } from "@postern/shared/platform/time";
import type { AdapterPayload } from "oidc-provider";
import { isRecord } from "./models.ts";

/** Smaller differences are ignored, so that where clocks are right no time changes by a second between writing and reading. */
const toleratedMs = 5000;

const timeMembers = ["iat", "exp", "iiat", "authTime", "loginTs", "consumed"] as const;

function moved(value: unknown, seconds: number): unknown {
  return typeof value === "number" ? value + seconds : value;
}

/** The sign-in in the result of an interaction. */
function movedResult(result: unknown, seconds: number): unknown {
  if (!isRecord(result) || !isRecord(result["login"])) return result;
  const login = result["login"];
  return { ...result, login: { ...login, ...("ts" in login && { ts: moved(login["ts"], seconds) }) } };
}

function shifted<Payload extends AdapterPayload>(payload: Payload, seconds: number): Payload {
  if (seconds === 0) return payload;
  const next: Payload = { ...payload };
  for (const name of timeMembers) if (name in payload) Reflect.set(next, name, moved(payload[name], seconds));
  for (const name of ["result", "lastSubmission"] as const) {
    if (name in payload) Reflect.set(next, name, movedResult(payload[name], seconds));
  }
  return next;
}

/**
 * Records are read by all replicas, so their times are those of the shared clock. The provider library compares them with the wall clock
 * of its host, so it gets them converted: a replica whose wall clock is wrong still sees what has expired, and what has not.
 */
export function createRecordTimes({ own, shared }: { readonly own: Clock; readonly shared: Clock }) {
  const aheadSeconds = (): number => {
    const aheadMs = shared.now() - own.now();
    return Math.abs(aheadMs) < toleratedMs ? 0 : Math.round(aheadMs / 1000);
  };
  return {
    /** A record of the library, as it is stored. */
    toShared: <Payload extends AdapterPayload>(payload: Payload): Payload => shifted(payload, aheadSeconds()),
    /** A stored record, as the library reads it. */
    toOwn: <Payload extends AdapterPayload>(payload: Payload): Payload => shifted(payload, -aheadSeconds()),
    /** Seconds since the epoch by the wall clock, as the shared clock counts them. */
    sharedSeconds: (seconds: number): number => seconds + aheadSeconds(),
    ownSeconds: (seconds: number): number => seconds - aheadSeconds(),
  };
}

export type RecordTimes = ReturnType<typeof createRecordTimes>;
