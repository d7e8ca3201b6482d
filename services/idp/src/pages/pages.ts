import { pathTo } from "@postern/shared/contracts";
import { type Language, languageOf, localeOf, pickLanguage } from "@postern/shared/domain/localisation";
import { createSecurityHeaders, type PolicyOptions } from "@postern/shared/platform/pages";
import type { Application } from "../flow/application-of.ts";
import { browserStateOf } from "../sessions/browser-state.ts";
import { cookieNames, createSiteCookies } from "../sessions/cookies.ts";
import type { Assets } from "./assets.ts";
import type { DomainBrand, DomainBrands } from "./domain-brands.ts";
import type { DoneKey } from "./done.ts";
import { documentOf } from "./layout.ts";
import type { Brand, Look, Page } from "./look.ts";
import type { SiteTemplates } from "./site-templates.ts";
import { errorPage } from "./templates/messages.ts";
import { textsOf } from "./texts.ts";

export interface PagesSettings extends Pick<Brand, "name" | "links" | "passwordForgotten" | "passwordChange"> {
  readonly issuer: string;
  /** `identity.oidc.session_management.enabled`, if OIDC is on. */
  readonly managesSessions: boolean;
  readonly languages: readonly Language[];
  readonly fallback: Language;
  /** Undefined: all pages have the look of the site. */
  readonly brands?: DomainBrands | undefined;
}

/** The parts of a request that determine the look of a page. */
export interface LookRequest {
  /** Path without language tag; empty if a GET would not show the page again. */
  readonly path: string;
  /** `?flow=…` or empty. */
  readonly query: string;
  /** From the URL. */
  readonly language: Language | undefined;
  readonly uiLocales?: string | undefined;
  /** Of the user's domain; undefined for the site's look. */
  readonly brand?: DomainBrand | undefined;
  /** What has just been done. */
  readonly done?: readonly DoneKey[];
  readonly headers: { readonly cookie?: string | undefined; readonly "accept-language"?: string | undefined };
}

/** A complete response, independent of the framework. */
export interface Shown {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ShowOptions extends Partial<Omit<PolicyOptions, "script">> {
  readonly status?: number;
}

/** The account page, from which a user can always start again. */
export const accountPath = pathTo("registrationHome");

function brandOf({ name, links, passwordForgotten, passwordChange }: PagesSettings, assets: Assets): Brand {
  return {
    name,
    logo: assets.logo?.path,
    logoDark: assets.logoDark?.path,
    icon: assets.icon.path,
    stylesheet: assets.stylesheet.path,
    scripts: { passkeys: assets.script.path, page: assets.page.path },
    links,
    passwordForgotten,
    passwordChange,
  };
}

/** Renders pages for browsers. */
export function createPages(settings: PagesSettings, assets: Assets, templates: SiteTemplates) {
  const { languages, fallback } = settings;
  const cookies = createSiteCookies(settings.issuer);
  const headers = createSecurityHeaders(settings.issuer);
  const texts = new Map(languages.map((language) => [language.tag, textsOf(language)]));
  const brand = brandOf(settings, assets);
  const show = <View extends object>(
    page: Page<View>,
    view: View,
    look: Look,
    { status = 200, formTargets = [], frameTargets, imageSources, isFramed }: ShowOptions = {},
  ): Shown => {
    const { scripts = [] } = page;
    const ours = scripts.filter((name) => name !== "own");
    const body = templates.render(page.name, view, look) ?? page.body(view, look);
    return {
      status,
      headers: {
        ...headers.page({ formTargets, frameTargets, imageSources, isFramed, script: scripts.length > 0 }),
        "content-language": look.language.tag,
      },
      body: documentOf(look, { title: page.title(view, look), body, scripts: ours }),
    };
  };
  return {
    cookies,
    managesSessions: settings.managesSessions,
    /** `Set-Cookie` values that tell frames of session management which session the browser has; undefined while it is off. */
    browserStateCookies: (uid: string | undefined, maxAge?: number): readonly string[] | undefined =>
      settings.managesSessions
        ? [cookies.setForFrames(cookieNames.browserState, browserStateOf(uid), maxAge)]
        : undefined,
    headers,
    assets,
    brands: settings.brands,
    languages,
    /** The offered language that this tag finds; undefined if there is none, so that the browser's wishes apply. */
    languageOf: (tag: string): Language | undefined => languageOf(tag, languages),
    lookOf: ({ path, query, language: chosen, uiLocales, done = [], brand: own, ...request }: LookRequest): Look => {
      const kept = cookies.read(request.headers.cookie, cookieNames.language);
      const acceptLanguage = request.headers["accept-language"];
      const language = pickLanguage({ chosen, kept, uiLocales, acceptLanguage }, languages, own?.fallback ?? fallback);
      const languageLinks = languages.map((other) => ({ language: other, href: `${path}/${other.tag}${query}` }));
      const text = texts.get(language.tag) ?? textsOf(language);
      return {
        language,
        locale: localeOf(language, acceptLanguage),
        text,
        brand: own === undefined ? brand : { ...brand, ...own.brand },
        notices: done.map((key) => text(`done.${key}`)),
        languageLinks: path === "" ? [] : languageLinks,
      };
    },
    /** 400: the flow has expired. */
    expired: (look: Look, reference?: string, application?: Application): Shown =>
      show(errorPage, { problem: "expired", reference, href: accountPath, application }, look, { status: 400 }),
    show,
  };
}

export type Pages = ReturnType<typeof createPages>;
