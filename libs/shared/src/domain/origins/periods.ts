const minuteMs = 60_000;

/** The ranges that are shown, each as a number of periods that are counted separately. The latest period is not over yet. */
export const originRanges = {
  "1h": { series: "hour", stepMs: 10 * minuteMs, periods: 6 },
  "24h": { series: "day", stepMs: 120 * minuteMs, periods: 12 },
  "7d": { series: "week", stepMs: 720 * minuteMs, periods: 14 },
} as const;

export type OriginRange = keyof typeof originRanges;
export const originRangeNames = ["1h", "24h", "7d"] as const satisfies readonly OriginRange[];

export const isOriginRange = (text: string): text is OriginRange => Object.hasOwn(originRanges, text);

/** Two periods longer than it is shown, for clocks that differ. */
export function originLifeSeconds(range: OriginRange): number {
  const { stepMs, periods } = originRanges[range];
  return (stepMs * (periods + 3)) / 1000;
}
