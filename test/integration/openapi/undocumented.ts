import { operations } from "@postern/shared/contracts";
import { routeOf } from "@postern/shared/platform/http";
import { forwardedUrls } from "../../../services/gateway/src/internal-services/paths.ts";
import type { RegisteredRoute } from "./registered-routes.ts";

interface Exception {
  readonly why: string;
  readonly is: (route: RegisteredRoute) => boolean;
}

const forwarded = new Set(forwardedUrls());

/** Operations that are themselves marked as undocumented. */
const hidden: readonly Exception[] = operations.flatMap((operation) => {
  const { family, undocumented: why } = operation;
  const { method, url } = routeOf(operation);
  const is = (route: RegisteredRoute): boolean =>
    route.service === family.owner && route.method === method && route.url === url;
  return why === undefined ? [] : [{ why, is }];
});

/** Routes that are in no document, each with the reason. */
export const undocumented: readonly Exception[] = [
  {
    why: "HEAD is GET without its body (RFC 9110 §9.3.2), OPTIONS is for browsers' own questions (CORS)",
    is: ({ method }) => method === "HEAD" || method === "OPTIONS",
  },
  {
    why: "the gateway passes them on: their owner's routes are in the documents",
    is: ({ service, url }) => service === "gateway" && forwarded.has(url),
  },
  ...hidden,
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
