/** Results of one run of the generator. */
export interface GeneratorReport {
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of answers with a status above 399. */
  readonly refused: number;
  /** Number of connections that failed, were lost or timed out. */
  readonly socketErrors: number;
}

const millisecondsOf: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function field(output: string, what: string, pattern: RegExp): readonly string[] {
  const match = pattern.exec(output);
  if (match === null) throw new Error(`no ${what} in the output of wrk:\n${output}`);
  return match.slice(1);
}

function percentileMs(output: string, percentile: number): number {
  const [value, unit = ""] = field(
    output,
    `${percentile}%`,
    new RegExp(`^ +${percentile}% +([\\d.]+)(us|ms|s|m|h) *$`, "m"),
  );
  return Number(value) * (millisecondsOf[unit] ?? Number.NaN);
}

/** Parses the output of `wrk --latency` (wrk 4.1). Throws an `Error` with the output if it contains no result. */
export function parseWrkOutput(output: string): GeneratorReport {
  const [requests, duration, unit = ""] = field(output, "total", /^ +(\d+) requests in ([\d.]+)(us|ms|s|m|h),/m);
  const socketErrors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? [];
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? "0";
  return {
    requests: Number(requests),
    seconds: (Number(duration) * (millisecondsOf[unit] ?? Number.NaN)) / 1000,
    p50Ms: percentileMs(output, 50),
    p99Ms: percentileMs(output, 99),
    refused: Number(refused),
    socketErrors: socketErrors.reduce((sum, count) => sum + Number(count), 0),
  };
}
