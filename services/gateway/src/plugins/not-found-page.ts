import { pathTo, routeFamilies } from "@postern/shared/contracts";
import { acceptsHtml } from "@postern/shared/platform/http";
import type { FastifyRequest } from "fastify";
import { notFoundTexts } from "../pages/not-found-texts.ts";
import { type PlainPage, plainPage } from "../pages/plain-page.ts";
import type { Channels } from "./channels.ts";

export interface NotFoundPageDeps {
  readonly channels: Pick<Channels, "isForBrowsers">;
  /** `identity.frontend.enabled`: `/` leads to the account. */
  readonly servesPages: boolean;
}

function firstSegment(url: string): string {
  return /^\/?[^/?#]*/.exec(url)?.[0] ?? "";
}

/**
 * Beginnings of paths that exist. A path below one of them is answered like one that is disabled or belongs to another channel, whatever
 * the reason is, so that the answer does not tell which it is.
 */
const known: ReadonlySet<string> = new Set(
  routeFamilies.map(({ prefix }) => firstSegment(prefix)).filter((segment) => segment !== "/"),
);

/** For a browser that asks the front channel for a path that does not exist; undefined for all other requests. */
export function notFoundPage(
  { raw }: FastifyRequest,
  { channels, servesPages }: NotFoundPageDeps,
): PlainPage | undefined {
  const { url = "/" } = raw;
  const { accept, "accept-language": acceptLanguage } = raw.headers;
  if (!servesPages || !channels.isForBrowsers(raw) || !acceptsHtml(accept) || known.has(firstSegment(url))) {
    return undefined;
  }
  return plainPage({ url, acceptLanguage }, { texts: notFoundTexts, href: pathTo("rootPage") });
}
