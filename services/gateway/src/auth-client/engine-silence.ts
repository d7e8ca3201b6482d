/**
 * When to stop waiting for engines that have stopped living: a process that is frozen, or a machine that lost its power,
 * leaves its NATS subscription behind, so requests go there and nothing comes back until their deadline.
 *
 * Engines beat every 200 ms (`engineBeatMs`). Silence is not measured by our clock, because a clock cannot tell their
 * silence from our own deafness: when our event loop or NATS stood still, the clock says "no beat for seconds" although
 * every engine lives. It is measured in round trips to NATS. Its answer comes on the connection on which the beats
 * come, in order, so a prompt answer with no beat before it says that NATS had none for us. Five in a row, 80 ms
 * apart and each in time, make a silence; one that is late starts the count again.
 */
export interface EngineSilence {
  /** An engine's beat. */
  readonly heard: (instance: string) => void;
  /** A request came back, from an engine or from NATS because nobody listens: asking is worth it again. */
  readonly answered: () => void;
  /** Whether a round trip to NATS is wanted now: no sign of life came of late. */
  readonly suspicious: () => boolean;
  /** The end of that round trip; true when it begins a silence. `undefined` for one that failed. */
  readonly probed: (tookMs: number | undefined) => boolean;
  /** Our own timer came late: what we did not hear proves nothing. */
  readonly deafened: () => void;
  /**
   * `trial` is asked with a short deadline, one a second while they are silent: engines that do not beat (of another
   * version) are found again by it.
   */
  readonly admit: () => "ask" | "trial" | "refuse";
  /** How many engines were heard of late. */
  readonly engines: () => number;
}

/** How often the watch looks; the tick of everything below. */
export const watchIntervalMs = 80;
/** One and a half beats. */
const suspiciousAfterMs = 300;
/** Prompt round trips without a beat: with the 300 ms before the first, silence is found after 620 to 700 ms. */
const probesToSilence = 5;
/** A round trip takes well below a millisecond on a network that deserves the name. */
const promptMs = 80;
const trialEveryMs = 1000;
/** An engine that was not heard for five beats is not counted. */
const countedForMs = 1000;
/** More engines than any installation has; whoever may publish on the bus cannot make us keep more. */
const maxEngines = 256;

/** `nowMs` is monotonic time. */
export function createEngineSilence(nowMs: () => number): EngineSilence {
  const lastHeard = new Map<string, number>();
  let lastSignMs = Number.NEGATIVE_INFINITY;
  let lastTrialMs = Number.NEGATIVE_INFINITY;
  let probes = 0;
  /** Before the first beat, and after a trial that found somebody without one, there is nothing to miss. */
  let state: "unknown" | "beating" | "silent" = "unknown";

  const forgetGone = (): void => {
    const until = nowMs() - countedForMs;
    for (const [instance, at] of lastHeard) if (at < until) lastHeard.delete(instance);
  };

  return {
    heard(instance) {
      forgetGone();
      if (lastHeard.has(instance) || lastHeard.size < maxEngines) lastHeard.set(instance, nowMs());
      lastSignMs = nowMs();
      probes = 0;
      state = "beating";
    },
    answered() {
      lastSignMs = nowMs();
      probes = 0;
      if (state === "silent") state = "unknown";
    },
    suspicious: () => state === "beating" && nowMs() - lastSignMs >= suspiciousAfterMs,
    probed(tookMs) {
      if (state !== "beating" || nowMs() - lastSignMs < suspiciousAfterMs) return false;
      probes = tookMs !== undefined && tookMs <= promptMs ? probes + 1 : 0;
      if (probes < probesToSilence) return false;
      state = "silent";
      lastTrialMs = nowMs();
      return true;
    },
    deafened() {
      probes = 0;
    },
    admit() {
      if (state !== "silent") return "ask";
      if (nowMs() - lastTrialMs < trialEveryMs) return "refuse";
      lastTrialMs = nowMs();
      return "trial";
    },
    engines() {
      forgetGone();
      return lastHeard.size;
    },
  };
}
