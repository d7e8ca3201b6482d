import { pathTo } from "@postern/shared/contracts";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/provider/bridge.ts";
import type { Pages } from "../../pages/pages.ts";
import { FormEncodingError, readUtf8Form } from "../../plugins/utf8-form.ts";
import { queryOf } from "./form.ts";
import { refuseAuthorization } from "./render-error.ts";

/** Longer forms would not fit into the URL of a redirect. */
export const redirectLimit = 4096;
/** The state is stored for ten minutes for any requester; no legitimate client needs more. */
const longestState = 2048;

/** Why a request is answered with a page and never a redirect, in addition to the provider's own checks. */
function refusal(query: URLSearchParams): string | undefined {
  const names = [...query.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length) return "a parameter is repeated";
  if ((query.get("state")?.length ?? 0) > longestState) return "state is too long";
  if (query.has("request_uri")) return undefined;
  const type = query.get("response_type");
  if (type === null) return "response_type is missing";
  return type === "code" ? undefined : "response_type must be code";
}

export interface AuthorizeDeps {
  readonly bridge: Bridge;
  /** Undefined while the pages are disabled. */
  readonly pages: Pages | undefined;
  readonly logger: Logger;
}

/** Undefined if the bytes are not UTF-8: replacing them would change the request. */
export function readQuery({ raw }: FastifyRequest): URLSearchParams | undefined {
  try {
    return readUtf8Form(queryOf(raw.url));
  } catch (error) {
    if (error instanceof FormEncodingError) return undefined;
    throw error;
  }
}

export function authorize(
  { bridge, pages, logger }: AuthorizeDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  params: URLSearchParams | undefined,
): FastifyReply {
  const query = params ?? new URLSearchParams();
  const why = params === undefined ? "the query is not UTF-8" : refusal(params);
  if (why !== undefined) {
    logger.info({ session: request.caller?.session, why }, "authorization refused");
    return refuseAuthorization(pages, request, reply, query);
  }
  return bridge.passAs(request, reply, { method: "GET", url: `${pathTo("authorize")}?${query.toString()}` });
}
