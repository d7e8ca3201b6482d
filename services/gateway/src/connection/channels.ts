import type { IncomingMessage, RequestListener } from "node:http";
import { type Channel, routeFamilies } from "@postern/shared/contracts";
import type { CallerDomains } from "@postern/shared/domain/domains";
import { isBelow } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { WireNames } from "../http/naming.ts";
import { sendNotFound } from "../http/reply.ts";

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

/**
 * Listeners with one router: each request remembers the listener that received it. The matched route decides, not the URL, which has many
 * spellings.
 *
 * @param isApart whether the front channel has its own listeners; the console always has
 */
export function createChannels(names: WireNames, isApart: boolean) {
  const channelOf = createChannelOf();
  // The back channel's are not stored.
  const others = new WeakMap<IncomingMessage, Exclude<Channel, "both">>();
  const through =
    (channel: Exclude<Channel, "both">) =>
    (handle: RequestListener): RequestListener =>
    (request, response) => {
      others.set(request, channel);
      handle(request, response);
    };
  /** Whether a route, by its pattern, belongs to another channel than the request. */
  const isForeign = ({ raw }: FastifyRequest, pattern: string): boolean => {
    const cameBy = others.get(raw) ?? "back";
    const channel = channelOf(pattern);
    if (channel === "console" || cameBy === "console") return channel !== cameBy || dotSegment.test(raw.url ?? "");
    return isApart && ((channel !== "both" && channel !== cameBy) || dotSegment.test(raw.url ?? ""));
  };
  return {
    frontHandle: through("front"),
    consoleHandle: through("console"),
    /** Whether the request came through the front channel, which is open to the internet. */
    isFront: (raw: IncomingMessage): boolean => others.get(raw) === "front",
    /** Whether the request may be a browser's, for the sign-in pages. */
    isForBrowsers: (raw: IncomingMessage): boolean =>
      isApart ? others.get(raw) === "front" : others.get(raw) !== "console",
    isForeign,
    /** 404 for a route of another channel. Paths without a route are answered by `answerUnrouted`. */
    onlyOwn: (request: FastifyRequest, reply: FastifyReply, next: () => void): void => {
      const { url: pattern } = request.routeOptions;
      if (pattern !== undefined && isForeign(request, pattern)) sendNotFound(reply, names);
      else next();
    },
  };
}

export type Channels = ReturnType<typeof createChannels>;

/** Listeners with a default domain: each request remembers the one that received it. */
export class ListenerDomains {
  readonly #ofRequests = new WeakMap<IncomingMessage, CallerDomains>();

  /** The request handler of a listener whose clients mean this domain by a name without one. */
  handle(defaultDomain: string, handle: RequestListener): RequestListener {
    const meant = { defaultDomain };
    return (request, response) => {
      this.#ofRequests.set(request, meant);
      handle(request, response);
    };
  }

  /** Runs before the caller authenticates, whose own default domain takes precedence. */
  readonly recall = (request: FastifyRequest, _reply: FastifyReply, next: () => void): void => {
    request.callerDomains = this.#ofRequests.get(request.raw) ?? null;
    next();
  };
}
