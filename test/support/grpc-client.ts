import { readFileSync } from "node:fs";
import { type ChannelCredentials, Client, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { fromJSON, type MethodDefinition } from "@grpc/proto-loader";
import protobuf from "protobufjs";

const files = ["libs/shared/src/platform/grpc/auth.proto", "services/gateway/proto/health.proto"].map(
  (file) => new URL(`../../${file}`, import.meta.url),
);

/** The result of a call; `message` only with code 0. */
export interface Called {
  readonly code: status;
  readonly details: string;
  readonly message: Readonly<Record<string, unknown>>;
  /** The metadata of headers and trailers. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly tookMs: number;
}

export interface CallOptions {
  readonly authorization?: string | undefined;
  readonly acceptLanguage?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Bytes to send in place of a message. */
  readonly bytes?: Buffer;
}

export interface GrpcClient extends Disposable {
  readonly call: (path: string, message: object, options?: CallOptions) => Promise<Called>;
}

const methods = new Map<string, MethodDefinition<object, object>>();

/** Parses a method's file once: that takes longer than the call. */
function methodAt(path: string): MethodDefinition<object, object> {
  const found = methods.get(path) ?? readMethod(path);
  methods.set(path, found);
  return found;
}

function readMethod(path: string): MethodDefinition<object, object> {
  const [, service = "", method = ""] = path.split("/");
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const { root } = protobuf.parse(text, { keepCase: true });
    const found = fromJSON(root.toJSON(), { keepCase: true, defaults: true, enums: String })[service];
    const definition = found === undefined || "format" in found ? undefined : found[method];
    if (definition !== undefined) return definition;
  }
  throw new Error(`unknown method ${path}`);
}

function texts(metadata: Metadata | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(metadata?.getMap() ?? {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** A client of the gRPC library. */
export function grpcClient(
  address: string,
  channel: ChannelCredentials = credentials.createInsecure(),
  options: Readonly<Record<string, string>> = {},
): GrpcClient {
  const client = new Client(address, channel, options);
  const call: GrpcClient["call"] = (
    path,
    message,
    { authorization, acceptLanguage, timeoutMs = 10_000, signal, bytes } = {},
  ) => {
    const definition = methodAt(path);
    const metadata = new Metadata();
    if (authorization !== undefined) metadata.set("authorization", authorization);
    if (acceptLanguage !== undefined) metadata.set("accept-language", acceptLanguage);
    const started = performance.now();
    const { promise, resolve } = Promise.withResolvers<Called>();
    let headers: Metadata | undefined;
    const done = (err: ServiceError | null, value?: object): void =>
      resolve({
        code: err?.code ?? status.OK,
        details: err?.details ?? "",
        message: { ...value },
        metadata: { ...texts(headers), ...texts(err?.metadata) },
        tookMs: performance.now() - started,
      });
    const serialize = (value: object): Buffer => bytes ?? definition.requestSerialize(value);
    const deadline = Date.now() + timeoutMs;
    const under = client.makeUnaryRequest(
      path,
      serialize,
      definition.responseDeserialize,
      message,
      metadata,
      { deadline },
      done,
    );
    under.on("metadata", (received: Metadata) => {
      headers = received;
    });
    signal?.addEventListener("abort", () => under.cancel(), { once: true });
    return promise;
  };
  return { call, [Symbol.dispose]: () => client.close() };
}

export const authMethod = (name: "Authenticate" | "LookupIdentity" | "ListAccounts"): string =>
  `/service.auth.v1.AuthService/${name}`;
