import type { FastifyReply } from "fastify";

/** Forwarded responses of the console. Those that are streams of events do not end by themselves, and a shutdown would wait for them. */
export interface ForwardedStreams {
  readonly add: (reply: FastifyReply) => void;
  /** At shutdown: ends the streams. Browsers connect again, to another gateway or to the next process. */
  readonly end: () => void;
}

const isEventStream = (reply: FastifyReply): boolean =>
  String(reply.raw.getHeader("content-type")).startsWith("text/event-stream");

export function createForwardedStreams(): ForwardedStreams {
  const open = new Set<FastifyReply>();
  let hasEnded = false;
  return {
    add: (reply) => {
      open.add(reply);
      reply.raw.once("close", () => open.delete(reply));
      if (hasEnded) reply.raw.once("pipe", () => isEventStream(reply) && reply.raw.destroy());
    },
    end: () => {
      hasEnded = true;
      for (const reply of open) if (isEventStream(reply)) reply.raw.destroy();
    },
  };
}
