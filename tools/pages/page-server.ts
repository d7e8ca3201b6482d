import { operation } from "@postern/shared/contracts";
import { languages } from "@postern/shared/domain/localisation";
import { routeOf } from "@postern/shared/platform/http";
import fastify, { type FastifyInstance } from "fastify";
import { consoleStyle } from "../../services/admin/src/console/console-style.ts";
import { liveScript } from "../../services/admin/src/console/live-script.ts";
import { consoleLanguage } from "../../services/admin/src/texts/console-languages.ts";
import { registerDevUi } from "../../services/idp/src/dev-ui/dev-ui.ts";
import { createAssets } from "../../services/idp/src/pages/assets.ts";
import { pageList } from "../../services/idp/src/pages/page-list.ts";
import { createPages } from "../../services/idp/src/pages/pages.ts";
import { createSiteTemplates } from "../../services/idp/src/pages/site-templates.ts";
import { getStatic } from "../../services/idp/src/visit/common-pages.ts";
import { consoleSample, consoleSampleNames } from "./console-samples.ts";
import { pageStates } from "./page-states.ts";
import { statusSamples } from "./status-samples.ts";

/** The developer UI of the identity provider and the files of its pages, without the rest of the service. */
export interface PageServer extends AsyncDisposable {
  /** Every page that the developer UI lists. */
  readonly names: readonly string[];
  /** The tags of all languages. */
  readonly tags: readonly string[];
  readonly origin: string;
  urlOf(name: string, tag?: string): string;
  /** Pages in states for which the developer UI has no sample, in one language. */
  stateUrls(tag: string): readonly string[];
  /** Pages of the console, with the names of their pictures. */
  readonly consoleUrls: ReadonlyMap<string, string>;
  /** The public status in one language, with the names of its pictures. */
  statusUrls(tag: string): ReadonlyMap<string, string>;
}

const [fallback] = languages;

function serveConsole(app: FastifyInstance, origin: string): void {
  const style = consoleStyle({ light: "", dark: "" });
  for (const { path, type, body } of [style, liveScript]) {
    app.get(path, (_request, reply) => reply.type(type).send(body));
  }
  for (const name of consoleSampleNames) {
    app.get(`/samples/${name}`, ({ headers: { "accept-language": accepted } }, reply) => {
      const { headers, body } = consoleSample(name, origin, style, consoleLanguage(undefined, accepted));
      // HSTS would redirect later requests to this host.
      const { "strict-transport-security": _hsts, ...sent } = headers;
      return reply.headers(sent).send(body);
    });
  }
}

function serveStatus(app: FastifyInstance): void {
  for (const { name, headers, render } of statusSamples) {
    for (const { tag } of languages) {
      app.get(`/states/${name}/${tag}`, (_request, reply) => reply.headers({ ...headers }).send(render(tag)));
    }
  }
}

/** Listens on a free port of loopback, as a site that has configured everything that pages show. */
export async function startPageServer(): Promise<PageServer> {
  if (fallback === undefined) throw new Error("no language");
  const site = "https://example.test";
  const pages = createPages(
    {
      issuer: "http://localhost:8080",
      managesSessions: false,
      name: "Example Mail",
      links: [
        { key: "common.support", url: `${site}/support` },
        { key: "common.privacy", url: `${site}/privacy` },
        { key: "common.terms", url: `${site}/terms` },
      ],
      passwordForgotten: `${site}/forgotten`,
      passwordChange: `${site}/change`,
      languages,
      fallback,
    },
    createAssets({ name: "Example Mail", accent: { light: "", dark: "" } }),
    createSiteTemplates(new Map()),
  );
  const app = fastify();
  app.route({ ...routeOf(operation("asset")), handler: getStatic(pages) });
  registerDevUi(app, { pages, enabled: true, version: "1" });
  for (const [name, show] of pageStates) {
    for (const language of languages) {
      const path = `/states/${name}/${language.tag}`;
      app.get(path, (_request, reply) => {
        const shown = show(pages, pages.lookOf({ path: "/states", query: "", language, headers: {} }));
        return reply.headers({ ...shown.headers }).send(shown.body);
      });
    }
  }
  serveConsole(app, site);
  serveStatus(app);
  const origin = await app.listen({ host: "127.0.0.1", port: 0 });
  return {
    names: pageList.map(({ name }) => name),
    tags: languages.map(({ tag }) => tag),
    origin,
    urlOf: (name, tag = "en") => `${origin}/api/v1/dev/ui/render/${name}/${tag}`,
    stateUrls: (tag) => Array.from(pageStates.keys(), (name) => `${origin}/states/${name}/${tag}`),
    consoleUrls: new Map(consoleSampleNames.map((name) => [name, `${origin}/samples/${name}`])),
    statusUrls: (tag) => new Map(statusSamples.map(({ name }) => [name, `${origin}/states/${name}/${tag}`])),
    [Symbol.asyncDispose]: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
