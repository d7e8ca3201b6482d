import { alice, askJson } from "../../support/ask-json.ts";

/** Correct sign-ins at one region, at a steady rate. */
export interface SteadyLoad extends AsyncDisposable {
  /** Answers that were not 200, with their time (`performance.now()`). */
  readonly refused: readonly { readonly status: number; readonly atMs: number }[];
  readonly count: () => number;
  /** Times of the answers to requests that were sent in this period of `performance.now()`. */
  timesBetween(fromMs: number, toMs: number): readonly number[];
}

const everyMs = 100;

export function startSteadyLoad(url: string): SteadyLoad {
  const answers: { readonly sentMs: number; readonly tookMs: number }[] = [];
  const refused: { status: number; atMs: number }[] = [];
  const open = new Set<Promise<void>>();
  const send = async (): Promise<void> => {
    const sentMs = performance.now();
    const status = await askJson(url, alice).then(
      (answer) => answer.status,
      () => 0,
    );
    answers.push({ sentMs, tookMs: performance.now() - sentMs });
    if (status !== 200) refused.push({ status, atMs: performance.now() });
  };
  const timer = setInterval(() => {
    const one = send().finally(() => open.delete(one));
    open.add(one);
  }, everyMs);
  return {
    refused,
    count: () => answers.length,
    timesBetween: (fromMs, toMs) =>
      answers.filter(({ sentMs }) => sentMs >= fromMs && sentMs < toMs).map(({ tookMs }) => tookMs),
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}

/** The value below which this share of the values is. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Prints how the values are distributed; the pages state nothing that depends on the machine. */
export function showHistogram(title: string, values: readonly number[]): void {
  const bounds = [100, 200, 300, 500, 700, 1000, 2000, 5000, 10_000, Number.POSITIVE_INFINITY];
  const counts = bounds.map((bound, index) => {
    const from = bounds[index - 1] ?? 0;
    return values.filter((value) => value >= from && value < bound).length;
  });
  const shown = bounds.map((bound, index) => `<${bound}: ${counts[index]}`);
  process.stdout.write(
    `${title} (ms, ${values.length}): ${shown.join(", ")}; p99 ${Math.round(quantileOf(values, 0.99))}\n`,
  );
}
