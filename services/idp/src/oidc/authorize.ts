import { pathTo } from "@postern/shared/contracts";
import { isLanguageTag } from "@postern/shared/domain/localisation";
import { AppError } from "@postern/shared/platform/errors";
import { FormEncodingError, readUtf8Form } from "@postern/shared/platform/http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Pages } from "../pages/pages.ts";
import { cookieNames } from "../sessions/cookies.ts";
import type { OidcContext } from "./context.ts";
import { formOf, queryOf } from "./http/form.ts";
import { fitsAddress, sendAgain, sentAgain } from "./http/send-again.ts";
import { refuseAuthorization } from "./provider/error-page.ts";
import { interactionPath, isInteractionId } from "./provider/interaction-url.ts";
import { acceptMailResources } from "./registration/mail-profile.ts";
import { membersOf, requestObjectHeader } from "./request-objects/hand-over.ts";
import type { UnpackedRequest } from "./request-objects/unpack-request.ts";
import { mailResources } from "./settings/mail-resources.ts";
import { textOf } from "./storage/models.ts";

/** The state is stored for ten minutes for any requester; no legitimate client needs more. */
const longestState = 2048;

/** Why a request is answered with a page and never a redirect, in addition to the provider's own checks. */
function refusal(query: URLSearchParams): string | undefined {
  const names = [...query.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length) return "a parameter is repeated";
  return (query.get("state")?.length ?? 0) > longestState ? "state is too long" : undefined;
}

/** Undefined if the bytes are not UTF-8: replacing them would change the request. */
function readQuery({ raw }: FastifyRequest): URLSearchParams | undefined {
  try {
    return readUtf8Form(queryOf(raw.url));
  } catch (error) {
    if (error instanceof FormEncodingError) return undefined;
    throw error;
  }
}

/** Without its client's keys a request object cannot be verified: the client is asked to try again. */
async function unpacked({ requestObjects }: OidcContext, params: URLSearchParams): Promise<UnpackedRequest> {
  const clientId = params.get("client_id") ?? "";
  try {
    return await requestObjects.unpackOrFetch(params, clientId);
  } catch (error) {
    if (!(error instanceof AppError) || error.row.kind !== "unavailable") throw error;
    return requestObjects.refuse(params, clientId, "keys_unavailable");
  }
}

/** `pages` is undefined while the pages are disabled. */
export type AuthorizeContext = { readonly oidc: OidcContext; readonly pages: Pages | undefined };

async function authorize(
  { oidc, pages }: AuthorizeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  sent: URLSearchParams | undefined,
): Promise<FastifyReply> {
  const { params, state } = sent === undefined ? { params: undefined, state: "" } : await unpacked(oidc, sent);
  const query = params ?? new URLSearchParams();
  const why = params === undefined ? "the query is not UTF-8" : refusal(params);
  if (why !== undefined) {
    oidc.logger.info({ session: request.caller?.session, why }, "authorization refused");
    return refuseAuthorization(pages, request, reply, query);
  }
  acceptMailResources(query, mailResources(oidc.schedule.settings));
  const url = `${pathTo("authorize")}?${query.toString()}`;
  return oidc.bridge.passAs(request, reply, { method: "GET", url, headers: { [requestObjectHeader]: state } });
}

export interface SegmentParams {
  readonly Params: { readonly languageTag: string };
}

export function getAuthorize(context: AuthorizeContext) {
  return (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    authorize(context, request, reply, readQuery(request));
}

/** `GET /oidc/authorize/{languageTag}`: a language, or the return to an authorization in progress. */
export function getAuthorizeSegment(context: AuthorizeContext) {
  return async (request: FastifyRequest<SegmentParams>, reply: FastifyReply): Promise<FastifyReply> => {
    const { languageTag: segment } = request.params;
    if (isInteractionId(segment)) {
      // Without a query: the provider would use its parameters.
      return context.oidc.bridge.passAs(request, reply, { method: "GET", url: interactionPath(segment) });
    }
    if (!isLanguageTag(segment)) return reply.code(404).send({ error: "not found" });
    const query = readQuery(request);
    if (query?.has("ui_locales") === false) query.set("ui_locales", segment);
    return authorize(context, request, reply, query);
  };
}

function hasSession({ cookies }: Pages, { headers }: FastifyRequest): boolean {
  return cookies.read(headers.cookie, cookieNames.session) !== undefined;
}

/** The redirect URI that the form or its request object states; the provider checks it later. */
function targetOf(form: URLSearchParams): string | undefined {
  return textOf(membersOf(form.get("request") ?? "")?.["redirect_uri"] ?? form.get("redirect_uri"));
}

/**
 * `POST /oidc/authorize`: a short form becomes a top-level GET, with which the browser sends its Lax cookies. For a longer one, or
 * one with a token, a page of ours sends it again.
 */
export function postAuthorize(context: AuthorizeContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form = formOf(request.body);
    const isAgain = form.has(sentAgain);
    form.delete(sentAgain);
    const action = pathTo("authorize");
    if (fitsAddress(form))
      return reply.header("cache-control", "no-store").redirect(`${action}?${form.toString()}`, 302);
    const { pages } = context;
    if (pages === undefined || isAgain || hasSession(pages, request)) return authorize(context, request, reply, form);
    const look = { language: undefined, uiLocales: form.get("ui_locales") ?? undefined, headers: request.headers };
    const sent = sendAgain(pages, reply, { action, form, target: targetOf(form), look });
    return sent ?? authorize(context, request, reply, form);
  };
}
