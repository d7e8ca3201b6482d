import type { SignInSeries } from "@postern/shared/contracts";

const ranges = {
  "1h": { steps: 60, seconds: 60, weekSteps: 24, weekSeconds: 3600 },
  "24h": { steps: 72, seconds: 1200, weekSteps: 24, weekSeconds: 3600 },
  "7d": { steps: 84, seconds: 7200, weekSteps: 84, weekSeconds: 7200 },
} as const;

const endMs = Date.parse("2030-05-06T13:55:00.000Z");

const beginsOf = (count: number, seconds: number): readonly number[] =>
  Array.from(
    { length: count },
    (_, index) => Math.floor(endMs / 1000 / seconds) * seconds - (count - 1 - index) * seconds,
  );

/** More sign-ins by day than by night. */
const daily = (second: number): number => 1 + 0.6 * Math.sin(((second % 86_400) / 86_400 - 0.25) * 2 * Math.PI);

/** A day of a large provider, in which an attack begins shortly before the end. */
export function sampleSeries(range: keyof typeof ranges): SignInSeries {
  const { steps, seconds, weekSteps, weekSeconds } = ranges[range];
  const isAttack = (index: number): boolean => index > steps * 0.7 && index < steps * 0.92;
  return {
    range,
    step_seconds: seconds,
    steps: beginsOf(steps, seconds).map((second, index) => {
      const load = daily(second) * seconds * (1 + 0.1 * Math.sin(index * 1.7));
      const attack = isAttack(index) ? seconds * (1 + 0.4 * Math.sin(index)) : 0;
      return {
        time: new Date(second * 1000).toISOString(),
        ok: Math.round(load * 0.6),
        cached: Math.round(load * 2.4),
        wrong_password: Math.round(load * 0.08 + attack * 0.5),
        unknown_user: Math.round(load * 0.03 + attack * 0.3),
        denied: Math.round(load * 0.02),
        blocked: Math.round(attack * 0.9),
        tempfail: index % 29 === 11 ? Math.round(load * 0.01) : 0,
        new_bans: Math.round(attack / 40),
        bans: 30 + Math.round(isAttack(index) ? 4 * (index - steps * 0.7) : 0),
        suspicious: index % 17 === 3 ? 2 : 0,
        p50_ms: 0.4 + 0.05 * Math.sin(index),
        p99_ms: 18 + 6 * Math.sin(index * 0.9) + (isAttack(index) ? 400 + 200 * Math.sin(index) : 0),
      };
    }),
    protocols: [
      { protocol: "imap", ok: 120_400, failed: 9310 },
      { protocol: "submission", ok: 22_040, failed: 18_220 },
      { protocol: "idp", ok: 1330, failed: 96 },
    ],
    p50_ms: 0.42,
    p99_ms: 212.4,
    week_step_seconds: weekSeconds,
    week: beginsOf(weekSteps, weekSeconds).map((second, index) => ({
      time: new Date(second * 1000).toISOString(),
      failures: Math.round(daily(second) * weekSeconds * (index > weekSteps - 4 ? 0.6 : 0.12)),
      ...(index > 2 && { week_before: Math.round(daily(second) * weekSeconds * 0.13) }),
    })),
    objective: { tempfail_share: 0.001, p99_ms: 500 },
  };
}
