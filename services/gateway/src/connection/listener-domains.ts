import type { IncomingMessage, RequestListener } from "node:http";
import type { CallerDomains } from "@postern/shared/domain/domains";
import type { FastifyReply, FastifyRequest } from "fastify";

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
