import { pathTo } from "@postern/shared/contracts";
import { AppError } from "@postern/shared/platform/errors";
import { FormEncodingError, readUtf8Form } from "@postern/shared/platform/http";
import type { Logger } from "@postern/shared/platform/logging";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Bridge } from "../../oidc/provider/bridge.ts";
import { acceptMailResources } from "../../oidc/registered/mail-resource.ts";
import { requestObjectHeader } from "../../oidc/request-objects/hand-over.ts";
import type { RequestObjects, UnpackedRequest } from "../../oidc/request-objects/unpack-request.ts";
import type { Pages } from "../../pages/pages.ts";
import { queryOf } from "./form.ts";
import { refuseAuthorization } from "./render-error.ts";

/** The state is stored for ten minutes for any requester; no legitimate client needs more. */
const longestState = 2048;

/** Why a request is answered with a page and never a redirect, in addition to the provider's own checks. */
function refusal(query: URLSearchParams): string | undefined {
  const names = [...query.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length) return "a parameter is repeated";
  return (query.get("state")?.length ?? 0) > longestState ? "state is too long" : undefined;
}

export interface AuthorizeDeps {
  readonly bridge: Bridge;
  /** Undefined while the pages are disabled. */
  readonly pages: Pages | undefined;
  readonly logger: Logger;
  readonly requestObjects: RequestObjects;
  /** Mail services that registered clients may name. */
  readonly mailResources: () => readonly string[];
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

/** Without its client's keys a request object cannot be verified: the client is asked to try again. */
async function unpacked({ requestObjects }: AuthorizeDeps, params: URLSearchParams): Promise<UnpackedRequest> {
  const clientId = params.get("client_id") ?? "";
  try {
    return await requestObjects.unpackOrFetch(params, clientId);
  } catch (error) {
    if (!(error instanceof AppError) || error.row.kind !== "unavailable") throw error;
    return requestObjects.refuse(params, clientId, "keys_unavailable");
  }
}

export async function authorize(
  deps: AuthorizeDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: URLSearchParams | undefined,
): Promise<FastifyReply> {
  const { bridge, pages, logger } = deps;
  const { params, state } = sent === undefined ? { params: undefined, state: "" } : await unpacked(deps, sent);
  const query = params ?? new URLSearchParams();
  const why = params === undefined ? "the query is not UTF-8" : refusal(params);
  if (why !== undefined) {
    logger.info({ session: request.caller?.session, why }, "authorization refused");
    return refuseAuthorization(pages, request, reply, query);
  }
  acceptMailResources(query, deps.mailResources());
  const url = `${pathTo("authorize")}?${query.toString()}`;
  return bridge.passAs(request, reply, { method: "GET", url, headers: { [requestObjectHeader]: state } });
}
