import type { IncomingMessage, RequestListener } from "node:http";
import { type Channel, routeFamilies } from "@postern/shared/contracts";
import { isBelow } from "@postern/shared/platform/http";
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import type { WireNames } from "../dialects/naming.ts";
import { notFoundReply } from "../dialects/reply.ts";
import { sendReply } from "./send-reply.ts";

/** Dot segments that a server behind us would resolve could lead from one channel's path to the other's. */
const dotSegment = /(?:\/|%2f|\\)(?:\.|%2e){1,2}(?:[/\\?#]|%2f|$)/i;

/** The channel of a route's family, by the route's pattern (ADR 0024). */
function createChannelOf(): (pattern: string) => Channel {
  // Bounded: one entry for each route.
  const known = new Map<string, Channel>();
  return (pattern) => {
    const found = known.get(pattern);
    if (found !== undefined) return found;
    const channel = routeFamilies.find(({ prefix }) => isBelow(prefix, pattern))?.channel ?? "front";
    known.set(pattern, channel);
    return channel;
  };
}

/** Listeners with one router: each request remembers the listener that received it. */
export interface Channels {
  /** The request handler of the front channel's listener. */
  readonly frontHandle: (handle: RequestListener) => RequestListener;
  /** The request handler of the console's listener. */
  readonly consoleHandle: (handle: RequestListener) => RequestListener;
  /** Whether the request came through the front channel, which is open to the internet. */
  readonly isFront: (raw: IncomingMessage) => boolean;
  /** Whether the request may be a browser's, for the sign-in pages. */
  readonly isForBrowsers: (raw: IncomingMessage) => boolean;
  /** Whether a route, by its pattern, belongs to another channel than the request. */
  readonly isForeign: (request: FastifyRequest, pattern: string) => boolean;
  /** 404 for a route of another channel. */
  readonly onlyOwn: onRequestHookHandler;
}

type CameBy = Exclude<Channel, "both">;

/**
 * The matched route decides, not the URL, which has many spellings.
 *
 * @param isApart whether the front channel has its own listeners; the console always has
 */
export function createChannels(names: WireNames, isApart: boolean): Channels {
  const channelOf = createChannelOf();
  // The back channel's are not stored.
  const others = new WeakMap<IncomingMessage, CameBy>();
  const through =
    (cameBy: CameBy): Channels["frontHandle"] =>
    (handle) =>
    (request, response) => {
      others.set(request, cameBy);
      handle(request, response);
    };
  const isForeign: Channels["isForeign"] = ({ raw }, pattern) => {
    const cameBy = others.get(raw) ?? "back";
    const channel = channelOf(pattern);
    if (channel === "console" || cameBy === "console") return channel !== cameBy || dotSegment.test(raw.url ?? "");
    return isApart && ((channel !== "both" && channel !== cameBy) || dotSegment.test(raw.url ?? ""));
  };
  return {
    isFront: (raw) => others.get(raw) === "front",
    isForBrowsers: (raw) => (isApart ? others.get(raw) === "front" : others.get(raw) !== "console"),
    isForeign,
    frontHandle: through("front"),
    consoleHandle: through("console"),
    onlyOwn: (request, reply, next) => {
      const { url: pattern } = request.routeOptions;
      // Paths without a route are answered by `answerUnrouted`.
      if (pattern !== undefined && isForeign(request, pattern)) sendReply(reply, notFoundReply(names, request.id));
      else next();
    },
  };
}
