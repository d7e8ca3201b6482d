import { isLanguageTag } from "@postern/shared/domain/localisation";
import type { FastifyReply, FastifyRequest } from "fastify";
import { interactionPath, isInteractionId } from "../../oidc/provider/interaction-path.ts";
import { type AuthorizeDeps, authorize, readQuery } from "./authorize-request.ts";

export interface SegmentParams {
  readonly Params: { readonly languageTag: string };
}

export function getAuthorize(deps: AuthorizeDeps) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    authorize(deps, request, reply, readQuery(request));
}

/** `GET /oidc/authorize/{languageTag}`: a language, or the return to an authorization in progress. */
export function getAuthorizeSegment(deps: AuthorizeDeps) {
  return async (request: FastifyRequest<SegmentParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const { languageTag: segment } = request.params;
    if (isInteractionId(segment)) {
      // Without a query: the provider would use its parameters.
      return deps.bridge.passAs(request, reply, { method: "GET", url: interactionPath(segment) });
    }
    if (!isLanguageTag(segment)) return reply.code(404).send({ error: "not found" });
    const query = readQuery(request);
    if (query?.has("ui_locales") === false) query.set("ui_locales", segment);
    return authorize(deps, request, reply, query);
  };
}
