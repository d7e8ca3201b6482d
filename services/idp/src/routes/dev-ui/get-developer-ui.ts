import { pathTo } from "@postern/shared/contracts";
import type { FastifyReply, FastifyRequest } from "fastify";
import { developerPage } from "../../dev-ui/developer-page.ts";
import type { Pages } from "../../pages/pages.ts";
import { sendShown } from "../visit.ts";

const base = pathTo("developerUi");

/** `GET /api/v1/dev/ui`: the list of all pages in all languages. */
export function getDeveloperUi(pages: Pages) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendShown(reply, developerPage(pages, base));
}
