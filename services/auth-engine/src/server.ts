import type { Serving } from "@postern/shared/bus";
import { authenticate } from "@postern/shared/contracts";
import type { EngineContext } from "./context.ts";

/** Joins the queue group of each method that an engine answers. */
export function serveEngine({
  bus,
  settings,
  ...context
}: Pick<EngineContext, "bus" | "settings" | "authenticate">): readonly Serving[] {
  const { maxInFlight } = settings;
  return [bus.serve(authenticate, context.authenticate, { maxInFlight })];
}
