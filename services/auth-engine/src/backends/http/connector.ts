import { buildConnector } from "undici";
import { readTlsFiles } from "../servers/server-settings.ts";
import type { HttpBackendSettings } from "./http-settings.ts";

/**
 * Opens connections for a pool. The certificates are read for each one, so that a renewed certificate needs no restart. TLS sessions are not
 * resumed, because a resumed one would keep the trust of the files before.
 */
export function createConnector({
  tls: { serverName, ...files },
  connectTimeoutMs: timeout,
}: Pick<HttpBackendSettings, "tls" | "connectTimeoutMs">): buildConnector.connector {
  const name = serverName === undefined ? {} : { servername: serverName };
  const open = async (options: buildConnector.Options, callback: buildConnector.Callback): Promise<void> => {
    let tls: Awaited<ReturnType<typeof readTlsFiles>> | undefined;
    try {
      tls = options.protocol === "https:" ? await readTlsFiles(files) : undefined;
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    }
    buildConnector({ ...tls, ...name, timeout, maxCachedSessions: 0 })({ ...options, ...name }, callback);
  };
  return (options, callback) => void open(options, callback);
}
