import type { ProbeRow } from "./server-moves.ts";

export type EngineSilence = ReturnType<typeof createEngineSilence>;

/** Interval of the watch; the tick of everything below. */
export const watchIntervalMs = 80;
/**
 * One and a half heartbeat intervals, then prompt round trips without a heartbeat: silence is detected after 2.0 to 2.1 s. On a healthy
 * network a round trip takes well below a millisecond.
 */
export const silenceProof: ProbeRow = { suspiciousAfterMs: 300, promptMs: 80, probes: 22 };
const trialEveryMs = 1000;
/** An engine that missed five heartbeats is not counted. */
const countedForMs = 1000;
/** More engines than any installation has. It limits what a sender on the bus can make us store. */
const maxEngines = 256;

/**
 * Decides when to stop waiting for engines that have died. A frozen process or a machine that lost power leaves its NATS subscription
 * behind, so that requests are delivered to it and never answered before their deadline.
 *
 * Engines send a heartbeat every 200 ms (`engineHeartbeatMs`). Silence is not measured by our clock, because a clock cannot distinguish
 * their silence from our own stall: if our event loop or NATS stopped, the clock says "no heartbeat for seconds" although every engine is
 * alive. It is measured in round trips to NATS instead. The answer arrives on the same connection as the heartbeats, in order, so a prompt
 * answer without a heartbeat before it proves that NATS had none for us. A row of them, 80 ms apart and each prompt, establishes silence; a
 * late one restarts the count. The row lasts two seconds, so that the only engine of a small, busy machine may stall for a moment: its
 * callers then wait, where they would otherwise receive temporary failures.
 *
 * @param nowMs monotonic time
 */
export function createEngineSilence(nowMs: () => number) {
  const { suspiciousAfterMs, promptMs, probes: probesToSilence } = silenceProof;
  const lastHeard = new Map<string, number>();
  let lastSignMs = Number.NEGATIVE_INFINITY;
  let lastTrialMs = Number.NEGATIVE_INFINITY;
  let probes = 0;
  /** Before the first heartbeat, and after a trial was answered without one, silence means nothing. */
  let state: "unknown" | "beating" | "silent" = "unknown";

  const forgetGone = (): void => {
    const until = nowMs() - countedForMs;
    for (const [instance, at] of lastHeard) if (at < until) lastHeard.delete(instance);
  };

  return {
    /** Records a heartbeat of an engine. */
    heard: (instance: string): void => {
      forgetGone();
      if (lastHeard.has(instance) || lastHeard.size < maxEngines) lastHeard.set(instance, nowMs());
      lastSignMs = nowMs();
      probes = 0;
      state = "beating";
    },
    /** Records that an engine answered a request, or NATS did because no engine is subscribed: requests are worth sending again. */
    answered: (): void => {
      lastSignMs = nowMs();
      probes = 0;
      if (state === "silent") state = "unknown";
    },
    /** Whether a round trip to NATS is needed now, because no heartbeat or answer arrived recently. */
    suspicious: (): boolean => state === "beating" && nowMs() - lastSignMs >= suspiciousAfterMs,
    /** Records the end of that round trip (`undefined` if it failed); returns true if this begins a silence. */
    probed: (tookMs: number | undefined): boolean => {
      if (state !== "beating" || nowMs() - lastSignMs < suspiciousAfterMs) return false;
      probes = tookMs !== undefined && tookMs <= promptMs ? probes + 1 : 0;
      if (probes < probesToSilence) return false;
      state = "silent";
      lastTrialMs = nowMs();
      return true;
    },
    /** Records that our own timer was late, so that missing heartbeats prove nothing. */
    deafened: (): void => {
      probes = 0;
    },
    /**
     * While engines are silent, one request per second is a `trial` with a short deadline. It finds engines again whose heartbeats do not arrive.
     */
    admit: (): "ask" | "trial" | "refuse" => {
      if (state !== "silent") return "ask";
      if (nowMs() - lastTrialMs < trialEveryMs) return "refuse";
      lastTrialMs = nowMs();
      return "trial";
    },
    /** Number of engines whose heartbeat arrived recently. */
    engines: (): number => {
      forgetGone();
      return lastHeard.size;
    },
  };
}
