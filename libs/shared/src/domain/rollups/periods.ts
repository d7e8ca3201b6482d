const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

interface Series {
  readonly stepMs: number;
  /** Number of periods that are kept. */
  readonly kept: number;
}

/** Sign-ins over time, in three resolutions. */
export const rollupSeries = {
  minutes: { stepMs: minuteMs, kept: 180 },
  tens: { stepMs: 10 * minuteMs, kept: 144 },
  hours: { stepMs: hourMs, kept: 15 * 24 },
} as const satisfies Readonly<Record<string, Series>>;

export type RollupSeries = keyof typeof rollupSeries;
export const rollupSeriesNames = ["minutes", "tens", "hours"] as const satisfies readonly RollupSeries[];

/** What a chart shows, with the series that it is drawn from. */
export const chartRanges = {
  "1h": { series: "minutes", periods: 60 },
  "3h": { series: "minutes", periods: 180 },
  "24h": { series: "tens", periods: 144 },
  "7d": { series: "hours", periods: 168 },
  "14d": { series: "hours", periods: 336 },
} as const satisfies Readonly<Record<string, { readonly series: RollupSeries; readonly periods: number }>>;

export type ChartRange = keyof typeof chartRanges;

export const isChartRange = (text: string): text is ChartRange => Object.hasOwn(chartRanges, text);

/** Charts begin with a whole step, so that they may show a few periods more. */
export const lifeSecondsOf = ({ stepMs, kept }: Series): number => (stepMs * (kept + 3)) / 1000;
