import { loadConfig, type RequestHeadersConfig } from "@postern/shared/platform/config";

/** `auth.request.headers` of a configuration that sets none of them. */
export function defaultHeaderNames(): RequestHeadersConfig {
  const loaded = loadConfig({ text: "auth: {}", env: {}, readFile: () => "" });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.auth.request.headers;
}
