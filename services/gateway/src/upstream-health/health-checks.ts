import { isIP } from "node:net";
import { pickUpstream, type Upstream } from "./pick-upstream.ts";
import type { Probe } from "./probe.ts";
import { type HealthCheckSettings, type MailTarget, targetKey } from "./target.ts";

export interface HealthCheckDeps {
  readonly probe: Probe;
  readonly log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
  readonly observe: (protocol: MailTarget["protocol"], outcome: "up" | "down") => void;
  /** From 0 to 1; spreads the checks of gateways that started together. */
  readonly random: () => number;
}

/** The state of the mail servers. */
export interface UpstreamHealth {
  /** A live server for the account; undefined if there is none. */
  readonly pick: (protocol: string, account: string) => Upstream | undefined;
  /** Applies other settings; the state of targets that remain is kept. */
  apply(settings: HealthCheckSettings): void;
  count(): { readonly up: number; readonly down: number };
  close(): void;
}

interface Watched {
  readonly target: MailTarget;
  /** Undefined until the name has been resolved once. */
  address: string | undefined;
  /** True until the first check, because no outage is known. */
  isUp: boolean;
  /** Number of consecutive checks that contradict `isUp`. */
  contrary: number;
  timer: NodeJS.Timeout | undefined;
}

const looksAtOnce = 16;
/** The first checks run soon after a start, but not all at the same time. */
const firstLookWithinMs = 250;

interface Seen {
  readonly one: Watched;
  readonly isUp: boolean;
  readonly err?: unknown;
}

function note({ one, isUp, err }: Seen, settings: HealthCheckSettings, { observe, log }: HealthCheckDeps): void {
  const { protocol, host, port } = one.target;
  observe(protocol, isUp ? "up" : "down");
  one.contrary = one.isUp === isUp ? 0 : one.contrary + 1;
  if (one.contrary < (isUp ? settings.recoveryThreshold : settings.failureThreshold)) return;
  one.isUp = isUp;
  one.contrary = 0;
  if (isUp) log.info({ protocol, host, port }, "mail server is up again");
  else log.warn({ protocol, host, port, err }, "mail server is down");
}

function aliveFor(protocol: string, watched: Iterable<Watched>): readonly Upstream[] {
  const alive: Upstream[] = [];
  for (const { target, address, isUp } of watched) {
    if (target.protocol === protocol && isUp && address !== undefined) alive.push({ address, port: target.port });
  }
  return alive;
}

/** Checks each target continuously in the background. Its timers do not keep the process alive. */
export function createUpstreamHealth(deps: HealthCheckDeps, first: HealthCheckSettings): UpstreamHealth {
  const watched = new Map<string, Watched>();
  let settings = first;
  let running = 0;
  let isClosed = false;

  const schedule = (one: Watched, delayMs: number): void => {
    if (isClosed || watched.get(targetKey(one.target)) !== one) return;
    one.timer = setTimeout(() => void look(one), delayMs).unref();
  };

  const look = async (one: Watched): Promise<void> => {
    if (running >= looksAtOnce) {
      schedule(one, firstLookWithinMs);
      return;
    }
    running += 1;
    try {
      one.address = await deps.probe(one.target, settings.timeoutMs);
      note({ one, isUp: true }, settings, deps);
    } catch (error) {
      note({ one, isUp: false, err: error }, settings, deps);
    } finally {
      running -= 1;
      schedule(one, settings.intervalMs * (0.9 + 0.2 * deps.random()));
    }
  };

  const watch = (target: MailTarget): void => {
    const address = isIP(target.host) === 0 ? undefined : target.host;
    const one: Watched = { target, address, isUp: true, contrary: 0, timer: undefined };
    watched.set(targetKey(target), one);
    schedule(one, firstLookWithinMs * deps.random());
  };

  const apply = (next: HealthCheckSettings): void => {
    settings = next;
    const keys = new Set(next.targets.map(targetKey));
    for (const [key, { timer }] of watched) {
      if (keys.has(key)) continue;
      clearTimeout(timer);
      watched.delete(key);
    }
    for (const target of next.targets) if (!watched.has(targetKey(target))) watch(target);
  };

  apply(first);
  return {
    pick: (protocol, account) => pickUpstream(aliveFor(protocol, watched.values()), account),
    apply,
    count: () => {
      const up = [...watched.values()].filter(({ isUp }) => isUp).length;
      return { up, down: watched.size - up };
    },
    close: () => {
      isClosed = true;
      for (const { timer } of watched.values()) clearTimeout(timer);
    },
  };
}
