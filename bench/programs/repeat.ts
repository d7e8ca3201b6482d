import type { GeneratorReport } from "../generator/wrk-output.ts";

/** Runs an operation with the given concurrency until the duration has elapsed; for programs that generate their own load. */
export async function repeat(
  operation: (iteration: number) => Promise<void>,
  { atOnce, seconds }: { readonly atOnce: number; readonly seconds: number },
): Promise<GeneratorReport> {
  const latenciesMs: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  let iteration = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < until) {
      const from = performance.now();
      iteration += 1;
      await operation(iteration);
      latenciesMs.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, loop));
  const sorted = latenciesMs.toSorted((a, b) => a - b);
  const percentile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    requests: sorted.length,
    seconds: (performance.now() - started) / 1000,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    refused: 0,
    socketErrors: 0,
  };
}

/** Repeats the operation for each message `{ seconds }` of the parent process, and answers with the report. */
export function repeatOnMessage(operation: (iteration: number) => Promise<void>, atOnce: number): void {
  process.on("message", (message) => {
    const seconds =
      typeof message === "object" && message !== null && "seconds" in message ? Number(message.seconds) : 1;
    repeat(operation, { atOnce, seconds }).then(
      (report) => process.send?.(report),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
  process.once("disconnect", () => process.exit(0));
  process.send?.("ready");
}
