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
  return (options, callback) => {
    const connect = async (): Promise<void> => {
      const tls = options.protocol === "https:" ? await readTlsFiles(files) : {};
      const name = serverName === undefined ? {} : { servername: serverName };
      buildConnector({ ...tls, ...name, timeout, maxCachedSessions: 0, keepAlive: true })(
        { ...options, ...name },
        callback,
      );
    };
    connect().catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null));
  };
}
