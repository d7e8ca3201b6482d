import { hash } from "node:crypto";
import { pathTo } from "@postern/shared/contracts";

/** A file of the pages, under a name that changes with its content. */
export interface ConsoleAsset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

const digestOf = (body: string): string => hash("sha256", body, "hex").slice(0, 16);

export function scriptAsset(name: string, body: string): ConsoleAsset {
  const path = pathTo("consoleAsset", { asset: `${name}.${digestOf(body)}.js` });
  return { path, type: "text/javascript; charset=utf-8", body };
}

export function styleAsset(name: string, body: string): ConsoleAsset {
  const path = pathTo("consoleAsset", { asset: `${name}.${digestOf(body)}.css` });
  return { path, type: "text/css; charset=utf-8", body };
}
