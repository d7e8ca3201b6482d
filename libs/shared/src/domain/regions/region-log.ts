import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import { AppError } from "../../platform/errors/app-error.ts";
import type { RedisClient } from "../../platform/redis/client.ts";
import { decidedInRedis } from "../../platform/redis/decided.ts";
import { regionLogKey } from "../../platform/redis/keys/regions.ts";
import { defineScript } from "../../platform/redis/script.ts";
import type { RegionEvent } from "./events.ts";
import appendToRegionLogLua from "./scripts/append-to-region-log.lua?raw";

/** Entries that the log keeps. A region that was away for more of them takes a snapshot. */
const maxLogEntries = 100_000;
/** Bytes of one event as JSON. */
export const maxEventBytes = 65_536;

export interface RegionLogDeps {
  /** The client of the role `state`. */
  readonly redis: RedisClient;
  readonly keyPrefix: string;
  /** For the purpose `regionLogPurpose`. */
  readonly keys: KeyRing;
}

/** The key ring that encrypts the log at rest. */
export const regionLogPurpose = "region-log";

const decidedInLog = decidedInRedis("the other regions could not be informed");

/** What this region tells the others, in the order in which it happened. Undefined wherever no regions are configured. */
export class RegionLog {
  readonly #deps: RegionLogDeps;
  readonly #key: string;
  readonly #append;

  constructor(deps: RegionLogDeps) {
    this.#deps = deps;
    this.#key = regionLogKey.build(deps.keyPrefix);
    this.#append = defineScript(deps.redis, {
      name: "appendToRegionLog",
      lua: appendToRegionLogLua,
      keys: ["logKey"],
      args: ["maxEntries", "events"],
    });
  }

  /**
   * Tells the other regions about something that has been stored here.
   * @throws AppError REDIS_UNAVAILABLE: the event may not be known elsewhere, and may be appended again
   */
  async append(...events: readonly RegionEvent[]): Promise<void> {
    if (events.length === 0) return;
    const sealed = events.map((event) => this.#sealed(event));
    await decidedInLog(() =>
      this.#append({ logKey: this.#key }, { maxEntries: maxLogEntries, events: JSON.stringify(sealed) }),
    );
  }

  #sealed(event: RegionEvent): string {
    const text = JSON.stringify(event);
    if (Buffer.byteLength(text) > maxEventBytes)
      throw new AppError("INTERNAL", { detail: `an event of the kind ${event.kind} is too large for other regions` });
    return this.#deps.keys.seal(text, this.#key).toString("base64url");
  }
}
