import { pathTo } from "@postern/shared/contracts";
import { html } from "@postern/shared/platform/pages";
import type { FastifyReply, FastifyRequest } from "fastify";
import { documentOf } from "../../pages/layout.ts";
import { pageList } from "../../pages/page-list.ts";
import type { Pages, Shown } from "../../pages/pages.ts";
import { sendShown } from "../visit.ts";

/** The list of all pages in all languages. */
function developerPage(pages: Pages, base: string): Shown {
  const english = pages.languages.find(({ tag }) => tag === "en");
  const look = pages.lookOf({ path: "", query: "", language: english, headers: {} });
  const rows = pageList.map(
    ({ name }) =>
      html`<h2><a href="${base}/render/${name}">${name}</a></h2><p>${pages.languages.map(
        ({ tag, name: languageName }) =>
          html`<a href="${base}/render/${name}/${tag}" title="${languageName}">${tag}</a> `,
      )}</p>`,
  );
  const body = html`<h1>Pages</h1><p class="lead">Every page with sample data, in every language.</p>${rows}`;
  return {
    status: 200,
    headers: pages.headers.page({ formTargets: [], script: false }),
    body: documentOf(look, { title: "Pages", body, scripts: [] }),
  };
}

const base = pathTo("developerUi");

/** `GET /api/v1/dev/ui`: the list of all pages in all languages. */
export function getDeveloperUi(pages: Pages) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
    sendShown(reply, developerPage(pages, base));
}
