import { authenticate, engineAlive } from "../../contracts/index.ts";
import type { Bus, Replica } from "../../platform/bus/index.ts";
import type { ErrorCode } from "../../platform/errors/codes.ts";
import { createEngineSilence, type EngineSilence, silenceProof, watchIntervalMs } from "./engine-silence.ts";
import { LiveEngines } from "./live-engines.ts";
import { createServerMoves, type ServerMoves } from "./server-moves.ts";

/** A tick that is this late indicates that our event loop was blocked. */
const driftMs = 50;
const unheard = "no engine is heard at this one";

export type EngineWatch = ReturnType<typeof startEngineWatch>;

/** Engines that were on a lost server of NATS too may be back later than we are: each is live once it is heard on the new connection. */
function reconnectionNotice(bus: Pick<Bus, "connections">, engines: LiveEngines): () => void {
  let connection = bus.connections();
  return () => {
    if (bus.connections() === connection) return;
    connection = bus.connections();
    engines.reconnected();
  };
}

async function roundTrip(bus: Bus): Promise<number | undefined> {
  const started = performance.now();
  return bus.flush().then(
    () => performance.now() - started,
    () => undefined,
  );
}

/** One round trip to NATS at a time, and what follows if no heartbeat came before its end. */
function createProbe(
  bus: Bus,
  {
    silence,
    moves,
    engines,
  }: { readonly silence: EngineSilence; readonly moves: ServerMoves; readonly engines: LiveEngines },
  onSilence: () => void,
) {
  let isProbing = false;
  const probe = async (): Promise<void> => {
    isProbing = true;
    const tookMs = await roundTrip(bus);
    isProbing = false;
    const leaves = moves.probed(tookMs) && bus.canMove();
    if (leaves && moves.moved()) {
      // Requests wait for the engines at the next server.
      silence.deafened();
      bus.move(unheard);
      return;
    }
    if (silence.probed(tookMs)) {
      engines.clear();
      bus.failOutstanding("ENGINE_SILENT");
      onSilence();
    }
    if (!leaves) return;
    engines.clear();
    bus.move(unheard);
  };
  return { probe, isProbing: () => isProbing };
}

/**
 * Listens for the engines' heartbeats. New requests go to live engines, and those of an engine that falls silent are sent to another one.
 * When all are silent, this process moves to another server of NATS, which may be the only one that is cut off from them. If
 * they are silent there too, or no other server is known, open requests fail immediately and new ones are not sent.
 */
export function startEngineWatch(bus: Bus, onSilence: () => void) {
  const silence = createEngineSilence(() => performance.now());
  const moves = createServerMoves(() => performance.now(), silenceProof);
  const engines = new LiveEngines();
  const notice = reconnectionNotice(bus, engines);
  const live = (): readonly Replica[] => {
    notice();
    return engines.live();
  };
  bus.balance(authenticate.service, {
    live,
    isReturning: () => engines.isReturning(),
    unreachable: (engine) => engines.unreachable(engine),
  });
  const subscription = bus.subscribe(engineAlive, (heartbeat) => {
    notice();
    silence.heard(heartbeat.instance);
    moves.heard();
    const returned = engines.heard(heartbeat);
    if (returned !== undefined) bus.reconnected(returned);
  });
  let expectedAt = performance.now() + watchIntervalMs;
  const { probe, isProbing } = createProbe(bus, { silence, moves, engines }, onSilence);

  const tick = (): void => {
    const nowMs = performance.now();
    const wasOnTime = nowMs - expectedAt <= driftMs;
    if (!wasOnTime) silence.deafened();
    expectedAt = nowMs + watchIntervalMs;
    notice();
    engines.tick(wasOnTime);
    if (moves.isAhead() && bus.canMove()) engines.expected();
    bus.resend(engines.silent());
    if (!isProbing() && (silence.suspicious() || (moves.suspicious() && bus.canMove()))) void probe();
  };
  const timer = setInterval(tick, watchIntervalMs).unref();

  return {
    admit: silence.admit,
    /** Records that a request was answered, by an engine or, with BUS_NO_RESPONDERS, by NATS; `code` is that of the error, if any. */
    answered: (code?: ErrorCode): void => {
      silence.answered();
      if (code !== "BUS_NO_RESPONDERS") moves.heard();
    },
    engines: silence.engines,
    close: (): void => {
      clearInterval(timer);
      subscription.unsubscribe();
    },
  };
}
