/** Duration of one operation, repeated over one connection. */
export interface Times {
  readonly title: string;
  readonly samples: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

export function timesOf(title: string, measuredMs: readonly number[]): Times {
  const sorted = measuredMs.toSorted((a, b) => a - b);
  return { title, samples: sorted.length, p50Ms: percentile(sorted, 50), p99Ms: percentile(sorted, 99) };
}

/** Runs the operation sequentially; `nth` counts from 0. The first tenth is a warm-up. */
export async function timeEach(
  title: string,
  samples: number,
  run: (iteration: number) => Promise<void>,
): Promise<Times> {
  const warmUp = Math.ceil(samples / 10);
  const measuredMs: number[] = [];
  for (let iteration = 0; iteration < warmUp + samples; iteration += 1) {
    const started = performance.now();
    await run(iteration);
    if (iteration >= warmUp) measuredMs.push(performance.now() - started);
  }
  return timesOf(title, measuredMs);
}
