import { abortAfter } from "../../../platform/concurrency/deadline.ts";
import type { LuaObject, LuaValue } from "../lua-value.ts";
import { type HostFunctions, type LuaModules, objectArgument, textArgument, textFields } from "./host.ts";

/** @param allowedHosts `host` or `host:port`, as in a URL */
function urlOf(request: LuaObject, allowedHosts: readonly string[]): URL {
  const url = new URL(textArgument(request.url, "url"));
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError("url must begin with http:// or https://");
  if (!allowedHosts.includes(url.host)) throw new Error(`${url.host} is not among the allowed hosts`);
  return url;
}

async function readBounded(response: Response, maxBytes: number): Promise<LuaValue> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > maxBytes) throw new RangeError("response is too large");
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts));
}

function bodyOf(body: LuaValue): string | Uint8Array<ArrayBuffer> | undefined {
  if (body === undefined || typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new TypeError("body must be a string");
}

/**
 * `http`: requests to the hosts that the site allows. Redirects are returned and not followed, because they may lead elsewhere.
 */
export function httpModule({ allowed_hosts, timeout, max_response_bytes }: LuaModules["http"]): HostFunctions {
  return {
    "http.request": async ([argument], { signal }) => {
      const request = objectArgument(argument, "request");
      const response = await fetch(urlOf(request, allowed_hosts), {
        method: request.method === undefined ? "GET" : textArgument(request.method, "method"),
        headers: textFields(request.headers, "headers"),
        body: bodyOf(request.body) ?? null,
        redirect: "manual",
        signal: abortAfter(timeout, signal),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await readBounded(response, max_response_bytes),
      };
    },
  };
}
