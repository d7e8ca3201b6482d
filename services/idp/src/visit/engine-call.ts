import { steadyClock } from "@postern/shared/platform/time";
import type { Visit } from "./visit.ts";

/** The deadline of a call to an engine, and the request that it belongs to. */
export interface EngineCall {
  readonly session: string;
  /** For the audit stream. */
  readonly clientIp?: string | undefined;
  /** Time of `steadyClock`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** A call for a visit, which ends when the browser has left. */
export function callContext({ request, reply }: Pick<Visit, "request" | "reply">, withinMs: number): EngineCall {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  const { caller, id } = request;
  return {
    session: caller?.session ?? id,
    clientIp: caller?.clientIp,
    deadline: steadyClock.now() + withinMs,
    signal: gone.signal,
  };
}
