import { authenticate, engineAlive } from "../../contracts/index.ts";
import type { Bus, Replica } from "../../platform/bus/index.ts";
import { createEngineSilence, type EngineSilence, watchIntervalMs } from "./engine-silence.ts";
import { createLiveEngines, type LiveEngines } from "./live-engines.ts";

/** A tick that is this late indicates that our event loop was blocked. */
const driftMs = 50;

export interface EngineWatchDeps {
  readonly bus: Pick<
    Bus,
    "subscribe" | "flush" | "failOutstanding" | "balance" | "resend" | "reconnected" | "connections"
  >;
  readonly onSilence: () => void;
}

export interface EngineWatch extends Pick<EngineSilence, "admit" | "answered" | "engines"> {
  readonly close: () => void;
}

/** Engines that were on a lost server of NATS too may be back later than we are: each is live once it is heard on the new connection. */
function reconnectionNotice(bus: Pick<Bus, "connections">, engines: LiveEngines): () => void {
  let connection = bus.connections();
  return () => {
    if (bus.connections() === connection) return;
    connection = bus.connections();
    engines.reconnected();
  };
}

/**
 * Listens for the engines' heartbeats. New requests go to live engines, and those of an engine that falls silent are sent to another one.
 * When all are silent, open requests fail immediately and new ones are not sent.
 */
export function startEngineWatch({ bus, onSilence }: EngineWatchDeps): EngineWatch {
  const silence = createEngineSilence(() => performance.now());
  const engines = createLiveEngines();
  const notice = reconnectionNotice(bus, engines);
  const live = (): readonly Replica[] => {
    notice();
    return engines.live();
  };
  bus.balance(authenticate.service, { ...engines, live });
  const subscription = bus.subscribe(engineAlive, (heartbeat) => {
    notice();
    silence.heard(heartbeat.instance);
    const returned = engines.heard(heartbeat);
    if (returned !== undefined) bus.reconnected(returned);
  });
  let expectedAt = performance.now() + watchIntervalMs;
  let probing = false;

  const probe = async (): Promise<void> => {
    probing = true;
    const started = performance.now();
    const tookMs = await bus.flush().then(
      () => performance.now() - started,
      () => undefined,
    );
    probing = false;
    if (!silence.probed(tookMs)) return;
    engines.clear();
    bus.failOutstanding("ENGINE_SILENT");
    onSilence();
  };

  const tick = (): void => {
    const nowMs = performance.now();
    const wasOnTime = nowMs - expectedAt <= driftMs;
    if (!wasOnTime) silence.deafened();
    expectedAt = nowMs + watchIntervalMs;
    notice();
    engines.tick(wasOnTime);
    bus.resend(engines.silent());
    if (!probing && silence.suspicious()) void probe();
  };
  const timer = setInterval(tick, watchIntervalMs);
  timer.unref();

  return {
    admit: silence.admit,
    answered: silence.answered,
    engines: silence.engines,
    close: () => {
      clearInterval(timer);
      subscription.unsubscribe();
    },
  };
}
