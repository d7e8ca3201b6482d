import { fileURLToPath } from "node:url";
import { Client, credentials } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition, type PackageDefinition } from "@grpc/proto-loader";

const options = { keepCase: true, defaults: true, enums: String };
const root = new URL("../../", import.meta.url);
const healthFile = fileURLToPath(new URL("services/gateway/proto/health.proto", root));
const reflectionFile = fileURLToPath(
  new URL("node_modules/@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto", root),
);

function methodOf(all: PackageDefinition, service: string, name: string): MethodDefinition<object, object> {
  const definition = all[service];
  const method = definition === undefined || "format" in definition ? undefined : definition[name];
  if (method === undefined) throw new Error(`no ${service}/${name}`);
  return method;
}

/** The statuses that `grpc.health.v1` sends to a watching client until the server ends the call. */
export function watchHealth(address: string): { readonly seen: object[]; readonly ended: Promise<void> } {
  const method = methodOf(loadSync(healthFile, options), "grpc.health.v1.Health", "Watch");
  const client = new Client(address, credentials.createInsecure());
  const seen: object[] = [];
  const call = client.makeServerStreamRequest(method.path, method.requestSerialize, method.responseDeserialize, {});
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = (): void => {
    client.close();
    resolve();
  };
  call.on("data", (message: object) => seen.push(message));
  call.on("error", end);
  call.on("end", end);
  return { seen, ended: promise };
}

/** Sends one request to the reflection service, as grpcurl does. */
export async function askReflection(address: string, request: object): Promise<string> {
  const service = "grpc.reflection.v1.ServerReflection";
  const method = methodOf(loadSync(reflectionFile, options), service, "ServerReflectionInfo");
  const client = new Client(address, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(method.path, method.requestSerialize, method.responseDeserialize);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  call.once("data", (message: object) => resolve(JSON.stringify(message)));
  call.once("error", reject);
  call.write(request);
  try {
    return await promise;
  } finally {
    call.end();
    client.close();
  }
}
