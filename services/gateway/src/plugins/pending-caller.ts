import type { ServerResponse } from "node:http";
import type { CallerFinding } from "../caller-auth/check-caller.ts";

export interface PendingCaller {
  readonly response: ServerResponse;
  /** How long a caller waits for its token's state. */
  readonly timeoutMs: number;
}

/** Settles once: with the result, when the caller disconnects, or at the timeout. */
export function settleCaller(
  found: Promise<CallerFinding>,
  { response, timeoutMs }: PendingCaller,
  settle: (finding: CallerFinding) => void,
): void {
  let isOpen = true;
  const end = (finding: CallerFinding): void => {
    if (!isOpen) return;
    isOpen = false;
    clearTimeout(timer);
    response.removeListener("close", leave);
    settle(finding);
  };
  const leave = (): void => end("canceled");
  const timer = setTimeout(() => end("deadline_exceeded"), timeoutMs);
  response.once("close", leave);
  found.then(end, () => end("unavailable"));
}
