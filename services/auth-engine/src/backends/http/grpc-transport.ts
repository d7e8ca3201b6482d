import { Client, connectivityState, credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { authProtocol } from "@postern/shared/platform/grpc";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import protobuf from "protobufjs";
import { readTlsFiles } from "../servers/server-settings.ts";
import { type OpenAnswer, RemoteFault, type RemoteRequest, type Sending, type Transport } from "./exchange.ts";
import { decisionAnswer, headersOf, listAnswer, refusalAnswer } from "./grpc-answer.ts";
import type { HttpBackendSettings } from "./http-settings.ts";
import type { RemoteMode } from "./request.ts";

/** A gateway sends no longer list. */
const maxListBytes = 4 * 1024 * 1024 + 1024;
/** The breaker decides when a server is tried again. */
const reconnectMs = 100;

const { root } = protobuf.parse(authProtocol("service").text, { keepCase: true });
const typeOf = (name: string): protobuf.Type => root.lookupType(`service.auth.v1.${name}`);
const authResponse = typeOf("AuthResponse");

const methods = {
  authenticate: { name: "Authenticate", request: typeOf("AuthRequest"), response: authResponse },
  "no-auth": { name: "LookupIdentity", request: typeOf("LookupIdentityRequest"), response: authResponse },
  "list-accounts": {
    name: "ListAccounts",
    request: typeOf("ListAccountsRequest"),
    response: typeOf("ListAccountsResponse"),
  },
} as const satisfies Record<RemoteMode | "authenticate", object>;

type Message = Readonly<Record<string, unknown>>;

const portOf = ({ port, protocol }: URL): string => port || (protocol === "https:" ? "443" : "80");

/** The settings of a channel. A list may be longer than a decision. */
function channelOptions(settings: HttpBackendSettings, maxBytes: number): Readonly<Record<string, string | number>> {
  const { serverName } = settings.tls;
  return {
    "grpc.max_receive_message_length": maxBytes,
    "grpc.primary_user_agent": "Postern",
    "grpc.initial_reconnect_backoff_ms": reconnectMs,
    "grpc.max_reconnect_backoff_ms": reconnectMs,
    // Neither the environment nor the DNS of the other site decides where a password goes, or how often.
    "grpc.enable_http_proxy": 0,
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_retries": 0,
    "grpc.use_local_subchannel_pool": 1,
    ...(serverName === undefined ? {} : { "grpc.ssl_target_name_override": serverName }),
  };
}

interface Opened {
  readonly client: Client;
  /** When the server last answered over it, by `steadyClock`; undefined before the first answer. */
  answeredAtMs: number | undefined;
}

/** A client that is replaced when its connection is lost, so that the next one reads the certificates again. */
class Connection {
  readonly #url: URL;
  readonly #settings: HttpBackendSettings;
  readonly #maxBytes: number;
  #opened: Promise<Opened> | undefined;
  #isClosed = false;

  constructor(url: URL, settings: HttpBackendSettings, maxBytes: number) {
    this.#url = url;
    this.#settings = settings;
    this.#maxBytes = maxBytes;
  }

  async open(): Promise<Opened> {
    const current = this.#opened ?? this.#create();
    this.#opened = current;
    const opened = await current;
    if (!isLost(opened)) return opened;
    if (this.#opened === current) this.#opened = undefined;
    opened.client.close();
    return this.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    opened?.client.close();
  }

  #create(): Promise<Opened> {
    const creation = this.#createNow();
    creation.catch(() => (this.#opened = undefined));
    return creation;
  }

  async #createNow(): Promise<Opened> {
    if (this.#isClosed) throw new Error("the backend is closed");
    const { hostname, protocol } = this.#url;
    const channel = protocol === "https:" ? await this.#secure() : credentials.createInsecure();
    const options = channelOptions(this.#settings, this.#maxBytes);
    return { client: new Client(`${hostname}:${portOf(this.#url)}`, channel, options), answeredAtMs: undefined };
  }

  async #secure() {
    const { ca, key, cert, rejectUnauthorized } = await readTlsFiles(this.#settings.tls);
    return credentials.createSsl(ca ?? null, key ?? null, cert ?? null, { rejectUnauthorized });
  }
}

function isLost({ client, answeredAtMs }: Opened): boolean {
  const state = client.getChannel().getConnectivityState(false);
  if (state === connectivityState.SHUTDOWN || state === connectivityState.TRANSIENT_FAILURE) return true;
  return answeredAtMs !== undefined && state !== connectivityState.READY;
}

function metadataOf({ headers }: RemoteRequest, authorization: string | undefined): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) if (name !== "user-agent") metadata.set(name, value);
  if (authorization !== undefined) metadata.set("authorization", authorization);
  return metadata;
}

interface Called {
  readonly error: ServiceError | null;
  readonly message: Message;
  /** Of the beginning of the answer. */
  readonly metadata: Metadata | undefined;
}

function called(
  client: Client,
  path: string,
  request: RemoteRequest,
  { authorization, signal, timeMs }: Sending,
): Promise<Called> {
  const method = methods[request.mode ?? "authenticate"];
  return new Promise((resolve, reject) => {
    let metadata: Metadata | undefined;
    const call = client.makeUnaryRequest(
      `${path}/${method.name}`,
      (fields: RemoteRequest["fields"]) =>
        Buffer.from(method.request.encode(method.request.fromObject(fields)).finish()),
      (bytes: Buffer): Message => method.response.toObject(method.response.decode(bytes), { defaults: true }),
      request.fields,
      metadataOf(request, authorization),
      { deadline: systemClock.now() + timeMs },
      (error, message = {}) => {
        signal.removeEventListener("abort", stop);
        resolve({ error, message, metadata });
      },
    );
    function stop(): void {
      reject(signal.reason);
      call.cancel();
    }
    call.on("metadata", (received: Metadata) => (metadata = received));
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

/** The connection to the gRPC listener at `url`, whose path names the service. Does not connect until the first request. */
export function createGrpcTransport(url: URL, settings: HttpBackendSettings): Transport {
  const { headers: names, service, maxResponseBytes } = settings;
  const path = url.pathname === "/" ? `/${service}` : url.pathname.replace(/\/$/u, "");
  const decisions = new Connection(url, settings, maxResponseBytes);
  const lists = new Connection(url, settings, maxListBytes);
  return {
    post: async (request, sending): Promise<OpenAnswer> => {
      const isList = request.mode === "list-accounts";
      const connection = isList ? lists : decisions;
      const opened = await connection.open();
      const startedMs = steadyClock.now();
      try {
        const { error, message, metadata } = await called(opened.client, path, request, sending);
        if (error !== null) return refusalAnswer(error, request.mode, names);
        const headers = headersOf(metadata, names);
        const answer = isList ? listAnswer(message, headers) : decisionAnswer(message, headers, names);
        opened.answeredAtMs = steadyClock.now();
        return answer;
      } catch (fault) {
        // A connection that is dead without a word would otherwise be used until TCP notices, which takes a quarter of an hour. Closed, it counts as
        // lost, and the next request opens another one.
        const isSilent = (opened.answeredAtMs ?? 0) < startedMs;
        if (isSilent && fault instanceof RemoteFault && fault.kind === "timeout") opened.client.close();
        throw fault;
      }
    },
    close: async () => {
      await Promise.all([decisions.close(), lists.close()]);
    },
  };
}
