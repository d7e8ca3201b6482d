import type { FastifyReply } from "fastify";

const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.raw.getHeader("content-type")).startsWith("text/event-stream");

/** Forwarded responses of admin. Those that are streams of events do not end by themselves, and a shutdown would wait for them. */
export class ForwardedStreams {
  readonly #open = new Set<FastifyReply>();
  #hasEnded = false;

  add(reply: FastifyReply): void {
    this.#open.add(reply);
    reply.raw.once("close", () => this.#open.delete(reply));
    if (this.#hasEnded) reply.raw.once("pipe", () => isEventStream(reply) && reply.raw.destroy());
  }

  /** At shutdown: ends the streams. Browsers connect again, to another gateway or to the next process. */
  end(): void {
    this.#hasEnded = true;
    for (const reply of this.#open) if (isEventStream(reply)) reply.raw.destroy();
  }
}
