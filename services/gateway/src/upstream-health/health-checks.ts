import { isIP } from "node:net";
import type { Logger } from "@postern/shared/platform/logging";
import { pickUpstream, type Upstream } from "./pick-upstream.ts";
import { probeMailServer } from "./probe.ts";
import { type HealthCheckSettings, type MailTarget, targetKey } from "./target.ts";

type Observe = (protocol: MailTarget["protocol"], outcome: "up" | "down") => void;

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

function aliveFor(protocol: string, watched: Iterable<Watched>): readonly Upstream[] {
  const alive: Upstream[] = [];
  for (const { target, address, isUp } of watched) {
    if (target.protocol === protocol && isUp && address !== undefined) alive.push({ address, port: target.port });
  }
  return alive;
}

/** Checks each target continuously in the background. Its timers do not keep the process alive. */
export class UpstreamHealth {
  readonly #watched = new Map<string, Watched>();
  readonly #logger: Logger;
  readonly #observe: Observe;
  #settings: HealthCheckSettings;
  #running = 0;
  #isClosed = false;

  constructor(logger: Logger, observe: Observe, settings: HealthCheckSettings) {
    this.#logger = logger;
    this.#observe = observe;
    this.#settings = settings;
    this.apply(settings);
  }

  /** A live server for the account; undefined if there is none. */
  pick(protocol: string, account: string): Upstream | undefined {
    return pickUpstream(aliveFor(protocol, this.#watched.values()), account);
  }

  /** Applies other settings; the state of targets that remain is kept. */
  apply(next: HealthCheckSettings): void {
    this.#settings = next;
    const keys = new Set(next.targets.map(targetKey));
    for (const [key, { timer }] of this.#watched) {
      if (keys.has(key)) continue;
      clearTimeout(timer);
      this.#watched.delete(key);
    }
    for (const target of next.targets) if (!this.#watched.has(targetKey(target))) this.#watch(target);
  }

  count(): { readonly up: number; readonly down: number } {
    const up = [...this.#watched.values()].filter(({ isUp }) => isUp).length;
    return { up, down: this.#watched.size - up };
  }

  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#watched.values()) clearTimeout(timer);
  }

  #watch(target: MailTarget): void {
    const address = isIP(target.host) === 0 ? undefined : target.host;
    const one: Watched = { target, address, isUp: true, contrary: 0, timer: undefined };
    this.#watched.set(targetKey(target), one);
    this.#schedule(one, firstLookWithinMs * Math.random());
  }

  #schedule(one: Watched, delayMs: number): void {
    if (this.#isClosed || this.#watched.get(targetKey(one.target)) !== one) return;
    one.timer = setTimeout(() => void this.#look(one), delayMs).unref();
  }

  #note(one: Watched, isUp: boolean, err?: unknown): void {
    const { protocol, host, port } = one.target;
    const { recoveryThreshold, failureThreshold } = this.#settings;
    this.#observe(protocol, isUp ? "up" : "down");
    one.contrary = one.isUp === isUp ? 0 : one.contrary + 1;
    if (one.contrary < (isUp ? recoveryThreshold : failureThreshold)) return;
    one.isUp = isUp;
    one.contrary = 0;
    if (isUp) this.#logger.info({ protocol, host, port }, "mail server is up again");
    else this.#logger.warn({ protocol, host, port, err }, "mail server is down");
  }

  async #look(one: Watched): Promise<void> {
    if (this.#running >= looksAtOnce) {
      this.#schedule(one, firstLookWithinMs);
      return;
    }
    this.#running += 1;
    try {
      one.address = await probeMailServer(one.target, this.#settings.timeoutMs);
      this.#note(one, true);
    } catch (err) {
      this.#note(one, false, err);
    } finally {
      this.#running -= 1;
      // Spreads the checks of gateways that started together.
      this.#schedule(one, this.#settings.intervalMs * (0.9 + 0.2 * Math.random()));
    }
  }
}
