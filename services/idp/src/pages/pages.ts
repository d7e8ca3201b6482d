import { cookieNames, createSiteCookies, type SiteCookies } from "../sessions/cookies.ts";
import type { Assets } from "./assets.ts";
import { type Language, languageOf, pickLanguage } from "./languages.ts";
import { documentOf } from "./layout.ts";
import type { FootLink, Look, Page } from "./look.ts";
import { createSecurityHeaders, type SecurityHeaders } from "./security-headers.ts";
import type { SiteTemplates } from "./site-templates.ts";
import { errorPage } from "./templates/notices.ts";
import { textsOf } from "./texts.ts";

export interface PagesSettings {
  readonly issuer: string;
  readonly name: string;
  readonly links: readonly FootLink[];
  readonly passwordForgotten: string | undefined;
  readonly languages: readonly Language[];
  readonly fallback: Language;
}

/** What of a request decides how a page looks. */
export interface Asked {
  /** A path of ours without language tag; empty where GET would not show the page again. */
  readonly path: string;
  /** `?flow=…` or empty. */
  readonly query: string;
  /** Of the URL. */
  readonly language: Language | undefined;
  readonly uiLocales?: string | undefined;
  readonly headers: { readonly cookie?: string | undefined; readonly "accept-language"?: string | undefined };
}

/** An answer, whoever sends it. */
export interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ShowOptions {
  readonly status?: number;
  /** CSP sources beside our own to which the page's forms may lead. */
  readonly formTargets?: readonly string[];
  /** CSP sources beside our own to which the page's frames may lead; absent: it has none. */
  readonly frameTargets?: readonly string[];
}

/** All that shows pages to browsers. */
export interface Pages {
  readonly cookies: SiteCookies;
  readonly headers: SecurityHeaders;
  readonly assets: Assets;
  readonly languages: readonly Language[];
  /** The offered language of this tag; undefined is a 404. */
  languageOf(tag: string): Language | undefined;
  lookOf(asked: Asked): Look;
  /** 400: the errand is over. */
  expired(look: Look): Shown;
  show<View extends object>(page: Page<View>, view: View, look: Look, options?: ShowOptions): Shown;
}

export interface PagesDeps {
  readonly settings: PagesSettings;
  readonly assets: Assets;
  readonly templates: SiteTemplates;
}

export function createPages({ settings, assets, templates }: PagesDeps): Pages {
  const { languages, fallback } = settings;
  const cookies = createSiteCookies(settings.issuer);
  const headers = createSecurityHeaders(settings.issuer);
  const texts = new Map(languages.map((language) => [language.tag, textsOf(language)]));
  const brand = {
    name: settings.name,
    logo: assets.logo?.path,
    stylesheet: assets.stylesheet.path,
    script: assets.script.path,
    links: settings.links,
    passwordForgotten: settings.passwordForgotten,
  };
  const show: Pages["show"] = (page, view, look, { status = 200, formTargets = [], frameTargets } = {}) => {
    const body = templates.render(page.name, view, look) ?? page.body(view, look);
    return {
      status,
      headers: {
        ...headers.page({ formTargets, frameTargets, script: page.script !== undefined }),
        "content-language": look.language.tag,
      },
      body: documentOf(look, { title: page.title(view, look), body, script: page.script === "passkeys" }),
    };
  };
  return {
    cookies,
    headers,
    assets,
    languages,
    languageOf: (tag) => languageOf(tag, languages),
    lookOf: ({ path, query, language: chosen, uiLocales, headers: asked }) => {
      const kept = cookies.read(asked.cookie, cookieNames.language);
      const acceptLanguage = asked["accept-language"];
      const language = pickLanguage({ chosen, kept, uiLocales, acceptLanguage }, languages, fallback);
      const languageLinks = languages.map((other) => ({ language: other, href: `${path}/${other.tag}${query}` }));
      return {
        language,
        text: texts.get(language.tag) ?? textsOf(language),
        brand,
        languageLinks: path === "" ? [] : languageLinks,
      };
    },
    expired: (look) =>
      show(errorPage, { problem: "expired", reference: undefined, href: undefined }, look, { status: 400 }),
    show,
  };
}
