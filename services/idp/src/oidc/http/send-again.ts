import type { FastifyReply } from "fastify";
import type { LookRequest, Pages } from "../../pages/pages.ts";
import { formTargetOf } from "../../pages/policy-sources.ts";
import { postMessagePage } from "../../pages/templates/post-message.ts";
import { sendShown } from "../../visit/visit.ts";

/** Field of a form that our own page has sent again, with this browser's cookies. */
export const sentAgain = "service_sent_again";

/** Longest query that the form of a client becomes: longer ones do not fit into every proxy's request line. */
const longestQuery = 4096;

/** Tokens and signed requests, which must not be kept in histories and in logs of proxies. */
const tokens = ["id_token_hint", "request"] as const;

/** Whether a request may be repeated as an address. */
export function fitsAddress(query: URLSearchParams): boolean {
  return query.toString().length <= longestQuery && !tokens.some((name) => query.has(name));
}

export interface AgainRequest {
  /** The path of the request, with its language tag. */
  readonly action: string;
  readonly form: URLSearchParams;
  /** Where the browser may go at the end. */
  readonly target: string | undefined;
  readonly look: Omit<LookRequest, "path" | "query">;
}

/**
 * A page that sends the form of another site again from ours: only then does the browser add its Lax cookies. A form with repeated
 * fields cannot be sent this way: undefined.
 */
export function sendAgain(
  pages: Pages,
  reply: FastifyReply,
  { action, form, target, look }: AgainRequest,
): FastifyReply | undefined {
  const fields = Object.fromEntries(form);
  if (Object.keys(fields).length < form.size) return undefined;
  const view = {
    client: undefined,
    action,
    fields: { ...fields, [sentAgain]: "1" },
    script: pages.assets.sender.path,
  };
  const source = formTargetOf(target);
  const formTargets = source === undefined ? [] : [source];
  return sendShown(
    reply,
    pages.show(postMessagePage, view, pages.lookOf({ ...look, path: "", query: "" }), { formTargets }),
  );
}
