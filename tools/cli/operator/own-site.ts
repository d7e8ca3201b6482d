import type { Config } from "@postern/shared/platform/config";
import { parseHostPort } from "@postern/shared/platform/net";
import { loadForCommand, siteFile } from "../config-command.ts";

/** The API caller that `postern init` adds for this command. */
const ownCaller = "operator";

/** A site on this machine, as its configuration describes it. */
export interface OwnSite {
  /** URL of the back channel. */
  readonly url: string;
  /** The value of `Authorization`; undefined if the configuration has no caller with a password that this process can read. */
  readonly authorization: string | undefined;
}

/** A demo that is running, which has no configuration at the usual place. */
export interface RunningDemo {
  readonly configFile: string;
  readonly url: string;
}

const basic = (name: string, password: string): string | undefined =>
  password === "" ? undefined : `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;

function authorizationOf({ auth }: Config): string | undefined {
  const { basic_auth: pair, callers } = auth.backchannel;
  const own = callers.find(({ name }) => name === ownCaller);
  if (own !== undefined) return basic(own.name, own.password);
  return pair.enabled ? basic(pair.username, pair.password) : undefined;
}

/** A listener on all addresses is reached over loopback. */
function urlOf({ runtime }: Config): string | undefined {
  const { address, tls } = runtime.servers.http;
  const listener = address.map((text) => parseHostPort(text)).find((found) => found !== undefined);
  if (listener === undefined) return undefined;
  const host = listener.host.replace(/^0\.0\.0\.0$/u, "127.0.0.1").replace(/^::$/u, "localhost");
  return `${tls.enabled ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${listener.port}`;
}

/** Undefined if no site is configured on this machine, or this process cannot read its configuration. */
export function findOwnSite(file: string | undefined, demo: RunningDemo | undefined): OwnSite | undefined {
  const named = siteFile(file);
  const found = named ?? demo?.configFile;
  if (found === undefined) return undefined;
  const loaded = loadForCommand({ file: found, skipSecretFiles: false });
  if (!loaded.ok) return undefined;
  const url = named === undefined ? demo?.url : urlOf(loaded.config);
  return url === undefined ? undefined : { url, authorization: authorizationOf(loaded.config) };
}
