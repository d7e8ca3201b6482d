import { operation, pathTo } from "@postern/shared/contracts";
import { isLanguageTag } from "@postern/shared/domain/localisation";
import { routeOf } from "@postern/shared/platform/http";
import { html } from "@postern/shared/platform/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { documentOf } from "../pages/layout.ts";
import { type ListedPage, pageList } from "../pages/page-list.ts";
import type { Pages, Shown } from "../pages/pages.ts";
import { sendShown, textIn } from "../visit/visit.ts";

const base = pathTo("developerUi");

/** The list of all pages in all languages. */
function developerPage(pages: Pages): Shown {
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

/** Template file names of Nauthilus that differ from the page names here. */
const aliases: Readonly<Record<string, string>> = {
  mfa_select: "mfa",
  totp_verify: "totp",
  recovery_login: "recovery",
  "2fa_home": "home",
  device_verify: "device",
  device_verify_success: "device_success",
  device_verify_failed: "device_failed",
};

/** Finds a page by its name or by the file name of a template: `idp_login.html` is `login`. */
function findPage(template: string): ListedPage | undefined {
  const stem = template.replace(/\.html$/, "").replace(/^idp_/, "");
  const name = Object.hasOwn(aliases, stem) ? aliases[stem] : stem;
  return pageList.find((page) => page.name === name);
}

/** `GET /api/v1/dev/ui/render/{template}`, optionally with a language: a page with sample data. */
function getRender(pages: Pages) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const tag = textIn(request.params, "languageTag");
    const language = tag === undefined ? undefined : pages.languageOf(tag);
    const page = findPage(textIn(request.params, "template") ?? "");
    if (page === undefined || (tag !== undefined && !isLanguageTag(tag))) {
      return reply.code(404).send({ error: "template unknown" });
    }
    const path = pathTo("renderTemplate", { template: page.name });
    const look = pages.lookOf({ path, query: "", language, headers: request.headers });
    // Always 200, because the page's own status does not matter in a preview.
    return sendShown(reply, { ...page.preview(pages, look), status: 200 });
  };
}

/**
 * The developer UI: every page with sample data, in every language. 403 outside developer mode. `version` differs for
 * each process: a browser that shows a page reloads it when the version changes.
 */
export function registerDevUi(
  app: FastifyInstance,
  { pages, enabled, version }: { pages: Pages; enabled: boolean; version: string },
): void {
  app.register(async (scope) => {
    scope.addHook("onRequest", async (_request, reply) => {
      if (!enabled) return reply.code(403).send({ error: "developer mode is disabled" });
      return undefined;
    });
    scope.route({
      ...routeOf(operation("developerUi")),
      handler: async (_request, reply) => sendShown(reply, developerPage(pages)),
    });
    scope.route({
      ...routeOf(operation("developerUiVersion")),
      handler: async (_request, reply) => reply.header("cache-control", "no-store").send({ version }),
    });
    for (const id of ["renderTemplate", "renderTemplateInLanguage"] as const) {
      scope.route({ ...routeOf(operation(id)), handler: getRender(pages) });
    }
  });
}
