import type { Bus } from "@postern/shared/bus";
import { engineAlive, engineBeatMs } from "@postern/shared/contracts";

export interface BeatDeps {
  readonly bus: Pick<Bus, "publish" | "isConnected">;
  readonly instance: string;
  readonly inFlight: () => number;
}

/**
 * Tells every gateway that this engine lives, five times a second, from the event loop that answers them: one
 * that hangs falls silent. An engine that drains goes on, so that nobody gives up what it is finishing; the returned
 * function ends it.
 */
export function startBeat({ bus, instance, inFlight }: BeatDeps): () => void {
  const beat = (): void => {
    // While NATS is away there is nobody to tell, and nothing lost that would be worth counting.
    if (bus.isConnected()) bus.publish(engineAlive, { instance, inFlight: inFlight() });
  };
  beat();
  const timer = setInterval(beat, engineBeatMs);
  timer.unref();
  return () => clearInterval(timer);
}
