import { Socket } from "node:net";
import { Redis } from "ioredis";

type Sent = Parameters<Redis["sendCommand"]>;

/**
 * A client whose commands of one turn of the event loop leave in one write, as with ioredis's automatic pipelines, but
 * each command is sent as such. A pipeline costs more than it saves here, waits for the one before it, and keeps all
 * that waits for its answers alive until the next full collection (ADR 0102).
 */
export class GatheredRedis extends Redis {
  #held: Redis["stream"] | undefined;

  override sendCommand(...sent: Sent): unknown {
    this.#hold();
    return super.sendCommand(...sent);
  }

  #hold(): void {
    const { stream } = this;
    // None before the first connection.
    if (stream === this.#held || !(stream instanceof Socket)) return;
    this.#held = stream;
    stream.cork();
    setImmediate(() => {
      if (this.#held === stream) this.#held = undefined;
      stream.uncork();
    });
  }
}
