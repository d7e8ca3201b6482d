import type { Static, TSchema } from "typebox";
import type { BusMethod } from "../../contracts/define.ts";
import type { Bus, RequestOptions } from "../../platform/bus/index.ts";
import { AppError, fromUnknown } from "../../platform/errors/app-error.ts";
import type { ErrorCode } from "../../platform/errors/codes.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { EngineWatch } from "./engine-watch.ts";

const engineService = "auth-engine";

/** A trial request to silent engines waits no longer than it took to detect the silence. */
export const trialTimeoutMs = 700;

/** Errors that end a request without an answer; every other error comes from an engine or from NATS. */
const unanswered: ReadonlySet<ErrorCode> = new Set([
  "DEADLINE_EXCEEDED",
  "ENGINE_SILENT",
  "REQUEST_ABORTED",
  "BUS_DISCONNECTED",
  "BUS_BACKLOG",
  "BUS_PAYLOAD",
]);

/** Whether an error proves an answer: by an engine, or by NATS because no engine is subscribed. */
export function enginesAnswered(code: ErrorCode): boolean {
  return !unanswered.has(code);
}

/**
 * A bus for services that send requests to engines. While the engines are silent, a request to them fails immediately with ENGINE_SILENT
 * instead of at its deadline, except one per second that tests whether an engine answers again.
 */
export function watchedBus(bus: Bus, watch: Pick<EngineWatch, "admit" | "answered">, clock: Clock): Bus {
  const ask = async <Req extends TSchema, Rep extends TSchema>(
    method: BusMethod<Req, Rep>,
    body: Static<Req>,
    options: RequestOptions,
  ): Promise<Static<Rep>> => {
    if (method.service !== engineService) return bus.request(method, body, options);
    const admitted = watch.admit();
    if (admitted === "refuse") throw new AppError("ENGINE_SILENT");
    const { deadline: latest, signal } = options;
    const deadline = admitted === "trial" ? Math.min(latest, clock.now() + trialTimeoutMs) : latest;
    try {
      const reply = await bus.request(method, body, { deadline, signal });
      watch.answered();
      return reply;
    } catch (thrown) {
      const { code } = fromUnknown(thrown);
      if (enginesAnswered(code)) watch.answered(code);
      throw thrown;
    }
  };
  return { ...bus, request: ask };
}
