import { Socket } from "node:net";
import { Redis } from "ioredis";

type Sent = Parameters<Redis["sendCommand"]>;
type Command = Sent[0];

const nothing: Command["args"] = [];

/**
 * Releases references once a command is answered. ioredis assigns functions to properties of a command, which V8 allocates in the old
 * generation: everything they reference would stay alive until the next full collection (docs/contributing/performance.md).
 */
function releasing(command: Command): Command["resolve"] {
  const { resolve } = command;
  return (answer) => {
    resolve(answer);
    command.args = nothing;
  };
}

/**
 * A client that writes the commands of one turn of the event loop together, like ioredis's automatic pipelines, but sends each as an
 * ordinary command. A pipeline costs more than it saves here, waits for the previous one, and keeps everything that waits for its answers
 * alive until the next full collection (docs/contributing/performance.md).
 */
export class GatheredRedis extends Redis {
  #held: Redis["stream"] | undefined;

  override sendCommand(...sent: Sent): unknown {
    const [command, stream] = sent;
    this.#hold();
    // Pipelines and transactions resend their commands when a script is not loaded.
    if (stream === undefined && command.pipelineIndex === undefined) command.resolve = releasing(command);
    return super.sendCommand(...sent);
  }

  #hold(): void {
    const { stream } = this;
    // There is no stream before the first connection.
    if (stream === this.#held || !(stream instanceof Socket)) return;
    this.#held = stream;
    stream.cork();
    setImmediate(() => {
      if (this.#held === stream) this.#held = undefined;
      stream.uncork();
    });
  }
}
