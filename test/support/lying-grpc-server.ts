import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { Metadata, Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from "@grpc/grpc-js";
import protobuf from "protobufjs";

const file = new URL("../../libs/shared/src/platform/grpc/auth.proto", import.meta.url);
const { root } = protobuf.parse(readFileSync(file, "utf8"), { keepCase: true });
const requests = root.lookupType("service.auth.v1.AuthRequest");
const answers = root.lookupType("service.auth.v1.AuthResponse");

const values = { account: { values: ["alice@example.test"] } };
const admitted = { ok: true, decision: 1, session: "s", account_field: "account", attributes: values };

type Answer = (callback: sendUnaryData<Buffer>) => void;

const answer =
  (message: object): Answer =>
  (callback) =>
    callback(null, Buffer.from(answers.encode(answers.fromObject(message)).finish()));
const refuse =
  (code: status, details = "no"): Answer =>
  (callback) =>
    callback({ code, details, metadata: new Metadata() });

/** Answers that are no decision, by the local part of the user's name. */
export const grpcMisbehaviour: Readonly<Record<string, Answer>> = {
  "ok-without-decision": answer({ ...admitted, decision: 0 }),
  "decision-without-ok": answer({ ...admitted, ok: false }),
  "denial-with-ok": answer({ ...admitted, decision: 2 }),
  "no-account": answer({ ...admitted, attributes: {} }),
  "another-account-field": answer({ ...admitted, account_field: "__proto__" }),
  "temporary-failure": answer({ ok: false, decision: 3, error: "later" }),
  "no-message": (callback) => callback(null, Buffer.from([0xff, 0xff, 0xff])),
  oversized: answer({ ...admitted, status_message: "x".repeat(400_000) }),
  exhausted: refuse(status.RESOURCE_EXHAUSTED),
  unauthorized: refuse(status.PERMISSION_DENIED),
  unimplemented: refuse(status.UNIMPLEMENTED),
  internal: refuse(status.INTERNAL),
  unknown: refuse(status.UNKNOWN),
  silent: () => undefined,
};

export interface GrpcRequest {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Whether it states when the caller gives up. */
  readonly hasDeadline: boolean;
}

const raw = (bytes: Buffer): Buffer => bytes;

const method = (name: string) => ({
  path: `/service.auth.v1.AuthService/${name}`,
  requestStream: false,
  responseStream: false,
  requestSerialize: raw,
  requestDeserialize: raw,
  responseSerialize: raw,
  responseDeserialize: raw,
});

const lookUp = (_call: unknown, callback: sendUnaryData<Buffer>): void => answer({ ok: false, decision: 2 })(callback);

/** A server of the interface that admits alice with her password, and lies about others. */
export async function startLyingGrpcServer(wantedPort = 0) {
  const received: GrpcRequest[] = [];
  const server = new Server();
  const handle = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>): void => {
    const fields = requests.toObject(requests.decode(call.request));
    received.push({
      fields,
      metadata: call.metadata.getMap(),
      hasDeadline: call.getDeadline() !== Number.POSITIVE_INFINITY,
    });
    const [name = ""] = String(fields["username"]).split("@");
    const respond = grpcMisbehaviour[name] ?? answer(name === "alice" ? admitted : { ok: false, decision: 2 });
    respond(callback);
  };
  server.addService(
    { Authenticate: method("Authenticate"), LookupIdentity: method("LookupIdentity") },
    { Authenticate: handle, LookupIdentity: lookUp },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${wantedPort}`, ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, received, [Symbol.dispose]: () => server.forceShutdown() };
}

/** Passes connections on to a port; those that are open when it stalls stay open, and are silent from then on. */
export async function startStallingProxy(target: number) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(target, "127.0.0.1");
    for (const one of [socket, onward]) {
      sockets.add(one);
      one.on("error", () => undefined);
    }
    socket.pipe(onward);
    onward.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    stall: () => {
      for (const socket of sockets) socket.unpipe().pause();
    },
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Accepts connections, and says nothing. */
export async function startHungServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
