import { pathTo } from "@postern/shared/contracts";
import { isLanguageTag } from "@postern/shared/domain/localisation";
import type { FastifyReply, FastifyRequest } from "fastify";
import { findPage } from "../../dev-ui/find-page.ts";
import type { Pages } from "../../pages/pages.ts";
import { sendShown } from "../visit.ts";

function parameter({ params }: FastifyRequest, name: string): string | undefined {
  const value: unknown = typeof params === "object" && params !== null ? Reflect.get(params, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** `GET /api/v1/dev/ui/render/{template}`, optionally with a language: a page with sample data. */
export function getRender(pages: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = parameter(request, "languageTag");
    const language = tag === undefined ? undefined : pages.languageOf(tag);
    const page = findPage(parameter(request, "template") ?? "");
    if (page === undefined || (tag !== undefined && !isLanguageTag(tag))) {
      return reply.code(404).send({ error: "template unknown" });
    }
    const path = pathTo("renderTemplate", { template: page.name });
    const look = pages.lookOf({ path, query: "", language, headers: request.headers });
    // Always 200, because the page's own status does not matter in a preview.
    return sendShown(reply, { ...page.preview(pages, look), status: 200 });
  };
}
