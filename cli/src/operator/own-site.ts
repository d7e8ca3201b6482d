import { type Config, loadConfig, processSources } from "@postern/shared/platform/config";
import { addTrustedRoots, parseHostPort } from "@postern/shared/platform/net";
import { parse } from "yaml";
import { loadForCommand, siteFile } from "../command.ts";

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

/** The part of a configuration that says how to reach the site, so that a fault elsewhere does not hide it. */
function reachablePart(text: string): string {
  const { runtime, auth }: { runtime?: unknown; auth?: unknown } = Object(
    parse(text, { merge: true, logLevel: "error" }),
  );
  const { servers, outgoing_tls } = Object(runtime);
  const { http } = Object(servers);
  const { address, tls } = Object(http);
  const { basic_auth: pair, callers } = Object(Object(auth).backchannel);
  return JSON.stringify({
    runtime: { servers: { http: { address, tls } }, outgoing_tls },
    auth: { backchannel: { basic_auth: pair, callers } },
  });
}

/** While the file has problems, the services keep the previous configuration: `postern status` shows why. */
function readSite(file: string): Config | undefined {
  const loaded = loadForCommand({ file, skipSecretFiles: false });
  if (loaded.ok) return loaded.config;
  try {
    const { env, readFile } = processSources();
    const part = loadConfig({ text: reachablePart(readFile(file)), env, readFile });
    return part.ok ? part.config : undefined;
  } catch {
    return undefined;
  }
}

/** The gateway's certificate may be of the site's own CA. An unreadable file is the services' problem, which `status` shows. */
function trustOwnRoots({ runtime }: Config): void {
  try {
    addTrustedRoots(runtime.outgoing_tls.ca_file);
  } catch {
    // Without these roots, a connection that needs them says so.
  }
}

/** Undefined if no site is configured on this machine, or this process cannot read its configuration. */
export function findOwnSite(file: string | undefined, demo: RunningDemo | undefined): OwnSite | undefined {
  const named = siteFile(file);
  const found = named ?? demo?.configFile;
  if (found === undefined) return undefined;
  const config = readSite(found);
  const url = named === undefined ? demo?.url : config && urlOf(config);
  if (config !== undefined) trustOwnRoots(config);
  return url === undefined || config === undefined ? undefined : { url, authorization: authorizationOf(config) };
}
