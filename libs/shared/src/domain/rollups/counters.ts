/** How a sign-in ended, as charts distinguish it. `cached`: a success that a cache decided. */
export const chartOutcomes = [
  "ok",
  "cached",
  "wrong_password",
  "unknown_user",
  "denied",
  "blocked",
  "tempfail",
] as const;
export type ChartOutcome = (typeof chartOutcomes)[number];

/** Protocols that are counted by name; all others together are `other`. */
export const chartProtocols = ["imap", "pop3", "smtp", "submission", "sieve", "idp", "other"] as const;

/** Upper bounds (ms) of the groups of decision times; the last group has none. The objective is one of them. */
export const latencyBounds = [
  0.5, 1, 1.5, 2.5, 4, 6, 10, 15, 25, 40, 60, 100, 150, 250, 400, 500, 750, 1000, 2500, 5000,
] as const;

const groups = Array.from({ length: latencyBounds.length + 1 }, (_, index) => `t${index}`);

/** The fields of a period in Redis, in the order of the counters in memory. Builds of several versions add up by name. */
export const rollupFields: readonly string[] = [
  ...chartOutcomes,
  "new_bans",
  "suspicious",
  ...chartProtocols.flatMap((protocol) => [`${protocol}:ok`, `${protocol}:failed`]),
  ...groups,
];

const at = (field: string): number => rollupFields.indexOf(field);

export const byOutcome = <Value>(of: (outcome: ChartOutcome) => Value): Readonly<Record<ChartOutcome, Value>> => ({
  ok: of("ok"),
  cached: of("cached"),
  wrong_password: of("wrong_password"),
  unknown_user: of("unknown_user"),
  denied: of("denied"),
  blocked: of("blocked"),
  tempfail: of("tempfail"),
});

/** Positions of the counters. */
export const positions = {
  outcomes: byOutcome(at),
  newBans: at("new_bans"),
  suspicious: at("suspicious"),
  /** Of successes; failures follow. */
  protocols: new Map<string, number>(chartProtocols.map((protocol) => [protocol, at(`${protocol}:ok`)])),
  otherProtocol: at("other:ok"),
  latency: at("t0"),
} as const;

/** The counts of one period, each at its position; sums of many periods exceed 32 bits. */
export type RollupCounts = Int32Array | Float64Array;

export const newCounts = (): RollupCounts => new Int32Array(rollupFields.length);
export const newSums = (): RollupCounts => new Float64Array(rollupFields.length);

export function addCounts(to: RollupCounts, more: ArrayLike<number>): void {
  for (let index = 0; index < to.length; index += 1) to[index] = (to[index] ?? 0) + (more[index] ?? 0);
}

/** Undefined without decisions. Inside a group, times are taken to be spread evenly. */
export function latencyQuantile(counts: ArrayLike<number>, quantile: number): number | undefined {
  const sizes = groups.map((_, index) => counts[positions.latency + index] ?? 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total === 0) return undefined;
  let rest = quantile * total;
  for (const [index, size] of sizes.entries()) {
    const [from, to] = [latencyBounds[index - 1] ?? 0, latencyBounds[index]];
    if (size > 0 && rest <= size) return to === undefined ? from : from + ((to - from) * rest) / size;
    rest -= size;
  }
  return latencyBounds.at(-1);
}
