import type { ServerResponse } from "node:http";
import type { CallerFinding } from "../caller-auth/check-caller.ts";

export interface PendingCaller {
  readonly response: ServerResponse;
  /** How long a caller waits for its token's state. */
  readonly timeoutMs: number;
}

/** Resolves with the result, when the caller disconnects, or at the timeout. */
export async function settledCaller(
  found: Promise<CallerFinding>,
  { response, timeoutMs }: PendingCaller,
): Promise<CallerFinding> {
  const { promise: over, resolve } = Promise.withResolvers<CallerFinding>();
  const leave = (): void => resolve("canceled");
  const timer = setTimeout(() => resolve("deadline_exceeded"), timeoutMs);
  response.once("close", leave);
  try {
    return await Promise.race([found, over]);
  } catch {
    return "unavailable";
  } finally {
    clearTimeout(timer);
    response.removeListener("close", leave);
  }
}
