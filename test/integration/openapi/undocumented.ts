import { ownedPaths } from "../../../services/gateway/src/forward/owners.ts";
import type { RegisteredRoute } from "./registered-routes.ts";

interface Exception {
  readonly why: string;
  readonly is: (route: RegisteredRoute) => boolean;
}

const forwarded = new Set(ownedPaths.flatMap(({ prefixes }) => prefixes.flatMap((path) => [path, `${path}/*`])));

/** Routes that are in no document, each for a reason. */
export const undocumented: readonly Exception[] = [
  {
    why: "HEAD is GET without its body (RFC 9110 §9.3.2), OPTIONS is for browsers' own questions (CORS)",
    is: ({ method }) => method === "HEAD" || method === "OPTIONS",
  },
  {
    why: "the gateway passes them on: their owner's routes are in the documents",
    is: ({ service, url }) => service === "gateway" && forwarded.has(url),
  },
  {
    why: "the pages' own stylesheet, scripts and pictures, under names that change with them",
    is: ({ service, url }) => service === "idp" && url === "/static/*",
  },
  {
    why: "they answer 400 only: the user of the documented path is missing",
    is: ({ service, url }) => service === "idp" && url === "/api/v1/oidc/sessions",
  },
  {
    why: "pages take a language tag, and SAML's paths are registered with them; no metadata names these",
    is: ({ service, url }) => service === "idp" && /^\/saml\/\w+\/:languageTag$/u.test(url),
  },
  {
    why: "any method and path below; the document has one operation for each method of a hook",
    is: ({ service, url }) => service === "admin" && url === "/api/v1/custom/*",
  },
];

const anyName = (path: string): string => path.replaceAll(/\{\w+\}|:\w+/gu, "{}");

/** Method and path without the names of parameters. */
export function placeOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method.toUpperCase()} ${anyName(path)}`;
}
