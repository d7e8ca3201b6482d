import { buildConnector, Pool } from "undici";
import { readTlsFiles } from "../servers/server-settings.ts";
import { faultOf, sessionOf } from "./answer.ts";
import type { Transport } from "./exchange.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import { encodeBody, targetOf } from "./request.ts";

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

export const maxHeaderBytes = 32_768;
/** Up to this length an unneeded body is read, so that its connection can be used again. */
const maxDumped = 4096;

/** A bounded pool of connections to the endpoint at `url`. Does not connect until the first request. */
export function createHttpTransport(url: URL, settings: HttpBackendSettings): Transport {
  const { poolSize: connections, requestTimeoutMs, format, headers: names } = settings;
  const pool = new Pool(url.origin, {
    connections,
    pipelining: 1,
    connect: createConnector(settings),
    maxHeaderSize: maxHeaderBytes,
    headersTimeout: requestTimeoutMs,
    bodyTimeout: 0,
  });
  const type = `application/${format}`;
  return {
    post: async ({ mode, request, headers, fields }, { authorization, signal }) => {
      const response = await pool.request({
        path: targetOf(url, mode, { request }),
        method: "POST",
        headers: {
          ...headers,
          "content-type": type,
          accept: mode === "list-accounts" ? "text/plain" : type,
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: encodeBody(format, fields),
        signal,
      });
      const { statusCode: status, body } = response;
      const discard = (): Promise<void> => body.dump({ limit: maxDumped });
      const answer = { status, headers: response.headers, body, discard };
      if (status < 502 || status > 504) return answer;
      await discard();
      throw faultOf(status, sessionOf(answer, names.session));
    },
    close: () => pool.destroy(),
  };
}
