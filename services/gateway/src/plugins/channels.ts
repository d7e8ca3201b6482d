import type { IncomingMessage, RequestListener } from "node:http";
import type { FastifyRequest } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import { notFoundReply } from "../dialects/reply.ts";
import type { OnRequest } from "./caller-auth.ts";
import { sendReply } from "./send-reply.ts";

export type Channel = "back" | "front";

const backPaths = new Set(["/ping", "/healthz", "/metrics"]);
/** Dots that a server behind us would resolve lead from one channel's path to the other's. */
const dotSegment = /(?:\/|%2f|\\)(?:\.|%2e){1,2}(?:[/\\?#]|%2f|$)/i;

/** Design decision 24: `/api/v1/*` and the operators' pages are the back channel, all else is the front channel. */
function channelOf(route: string): Channel {
  return route.startsWith("/api/v1/") || backPaths.has(route) ? "back" : "front";
}

/** Two listeners before one router: each request remembers by which it came. */
export interface Channels {
  /** What the front channel's listener calls. */
  readonly frontHandle: (handle: RequestListener) => RequestListener;
  /** 404 for a route of the other channel. */
  readonly onlyOwn: OnRequest;
}

/** The route that matched decides, not the URL, which has many spellings. */
export function createChannels(names: WireNames): Channels {
  const cameByFront = new WeakSet<IncomingMessage>();
  const isForeign = ({ raw, routeOptions }: FastifyRequest): boolean => {
    const cameBy: Channel = cameByFront.has(raw) ? "front" : "back";
    return channelOf(routeOptions.url ?? "/") !== cameBy || dotSegment.test(raw.url ?? "");
  };
  return {
    frontHandle: (handle) => (request, response) => {
      cameByFront.add(request);
      handle(request, response);
    },
    onlyOwn: (request, reply, next) => {
      if (isForeign(request)) sendReply(reply, notFoundReply(names, request.id));
      else next();
    },
  };
}
