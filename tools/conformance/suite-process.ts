import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer } from "node:https";
import type { Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort, startChildServer } from "@postern/testing";

const run = promisify(execFile);
const storage = fileURLToPath(new URL("storage/", import.meta.url));

/** A running conformance suite. */
export interface Suite {
  /** Its HTTP interface, used without credentials: the suite runs in its development mode. */
  readonly api: string;
  /** Its public address, where it plays the client. */
  readonly url: string;
}

export interface SuitePlaces {
  /** The suite's application as a jar, or a folder that contains it. */
  readonly source: string;
  readonly java: string;
  /** Folder of `tls.crt` and `tls.key`. */
  readonly folder: string;
  /** Folder where the libraries of the storage are kept between runs. */
  readonly libraries: string;
}

/** @throws if there is no jar at the place that SUITE names */
export function jarOf(source: string): string {
  const places = [source, join(source, "fapi-test-suite.jar"), join(source, "target/fapi-test-suite.jar")];
  const jar = places.find((place) => place.endsWith(".jar") && existsSync(place) && statSync(place).isFile());
  if (jar === undefined) throw new Error(`SUITE must be the suite's jar or a folder that contains it: ${source}`);
  return jar;
}

/** What the suite's own proxy says about a connection; a certificate is on one line. */
function tlsHeaders(socket: Socket): Readonly<Record<string, string>> {
  if (!(socket instanceof TLSSocket)) return {};
  const { raw } = socket.getPeerX509Certificate() ?? {};
  const certificate = raw === undefined ? undefined : new X509Certificate(raw).toString().trim().replaceAll("\n", " ");
  return {
    "x-ssl-protocol": socket.getProtocol() ?? "",
    "x-ssl-cipher": socket.getCipher().name,
    ...(certificate !== undefined && { "x-ssl-cert": certificate }),
  };
}

/** TLS in front of the suite, which expects the addresses and certificates of its callers in headers. */
async function startEntrance(folder: string, port: number, target: number): Promise<AsyncDisposable> {
  const [cert, key] = await Promise.all([readFile(join(folder, "tls.crt")), readFile(join(folder, "tls.key"))]);
  const server = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      ...tlsHeaders(incoming.socket),
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-proto": "https",
      "x-forwarded-host": incoming.headers.host ?? "",
      "x-forwarded-port": String(port),
    };
    const forwarded = request(
      { host: "127.0.0.1", port: target, method: incoming.method, path: incoming.url, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on("error", () => outgoing.writeHead(502).end());
    incoming.pipe(forwarded);
  });
  server.listen(port, "127.0.0.1");
  return {
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The suite refuses requests that did not arrive by TLS. */
export const throughTls = { "x-forwarded-proto": "https" } as const;

async function answers(url: string): Promise<boolean> {
  return fetch(url, { headers: throughTls, signal: AbortSignal.timeout(5000) }).then(
    (response) => response.ok,
    () => false,
  );
}

/** A suite that runs already, by its public address. */
export function runningSuite(source: string): Suite | undefined {
  const { protocol, origin } = URL.parse(source) ?? {};
  return protocol === "https:" && origin !== undefined ? { api: `${origin}/api`, url: origin } : undefined;
}

/** Starts the suite with its storage in memory, on free ports of loopback. */
export async function startSuite(
  owned: AsyncDisposableStack,
  { source, java, folder, libraries }: SuitePlaces,
): Promise<Suite> {
  const jar = jarOf(source);
  if (!existsSync(libraries)) {
    const copy = ["-B", "-q", "dependency:copy-dependencies", `-DoutputDirectory=${libraries}`];
    await run("mvn", copy, { cwd: storage });
  }
  const [storagePort = 0, port = 0, tls = 0, mtls = 0] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
  const database = ["-Xmx512m", "-cp", join(libraries, "*"), join(storage, "Storage.java"), String(storagePort)];
  owned.use(await startChildServer({ command: java, args: database, port: storagePort, readyWithinMs: 60_000 }));
  const url = `https://localhost:${tls}`;
  const properties = {
    "server.port": port,
    "server.address": "127.0.0.1",
    "fintechlabs.base_url": url,
    "fintechlabs.base_mtls_url": `https://localhost:${mtls}`,
    "fintechlabs.devmode": true,
    "spring.mongodb.uri": `mongodb://127.0.0.1:${storagePort}/conformance`,
  };
  const options = Object.entries(properties).map(([name, value]) => `-D${name}=${String(value)}`);
  const api = `http://127.0.0.1:${port}/api`;
  owned.use(
    await startChildServer({
      command: java,
      args: ["-Xmx1g", "-Djdk.tls.maxHandshakeMessageSize=65536", ...options, "-jar", jar],
      ready: () => answers(`${api}/runner/available`),
      readyWithinMs: 900_000,
    }),
  );
  owned.use(await startEntrance(folder, tls, port));
  owned.use(await startEntrance(folder, mtls, port));
  return { api, url };
}
