import { Socket } from "node:net";
import { Redis } from "ioredis";

type Sent = Parameters<Redis["sendCommand"]>;
type Command = Sent[0];

const nothing: Command["args"] = [];

/**
 * Lets go of what was sent once it is answered. ioredis puts functions into properties of a command, which V8 makes as
 * old objects from the start: whatever they reach lives until the next full collection (ADR 0102).
 */
function releasing(command: Command): Command["resolve"] {
  const { resolve } = command;
  return (answer) => {
    resolve(answer);
    command.args = nothing;
  };
}

/**
 * A client whose commands of one turn of the event loop leave in one write, as with ioredis's automatic pipelines, but
 * each command is sent as such. A pipeline costs more than it saves here, waits for the one before it, and keeps all
 * that waits for its answers alive until the next full collection (ADR 0102).
 */
export class GatheredRedis extends Redis {
  #held: Redis["stream"] | undefined;

  override sendCommand(...sent: Sent): unknown {
    const [command, stream] = sent;
    this.#hold();
    // Pipelines and transactions send theirs again when a script is not known.
    if (stream === undefined && command.pipelineIndex === undefined) command.resolve = releasing(command);
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
