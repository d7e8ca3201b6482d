import { readFileSync } from "node:fs";
import { fromJSON, type Options, type PackageDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import protobuf from "protobufjs";

/** A message as it came. */
export interface Incoming {
  /** Absent when the bytes are no such message. */
  readonly message: object | undefined;
}

/** What is spoken on the listener. */
export interface Protocol {
  /** `service.auth.v1.AuthService` with this site's word. */
  readonly authServiceName: string;
  /** Its requests are read as `Incoming`. */
  readonly authService: ServiceDefinition;
  readonly healthService: ServiceDefinition;
  /** As the proto files have it, for reflection. */
  readonly all: PackageDefinition;
}

const healthServiceName = "grpc.health.v1.Health";
const options: Options = { keepCase: true, defaults: true };

function protoText(file: string): string {
  return readFileSync(new URL(`../../proto/${file}`, import.meta.url), "utf8");
}

function definitionOf(text: string): PackageDefinition {
  const { root } = protobuf.parse(text, { keepCase: true });
  return fromJSON(root.toJSON(), options);
}

function serviceOf(all: PackageDefinition, name: string): ServiceDefinition {
  const definition = all[name];
  if (definition === undefined || "format" in definition) throw new TypeError(`no service ${name} in the proto files`);
  return definition;
}

/** The library answers a message that cannot be read with INTERNAL: it is the caller's fault, and ours to say. */
function readingAnything(service: ServiceDefinition): ServiceDefinition {
  const rows = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): Incoming => {
      try {
        return { message: method.requestDeserialize(bytes) };
      } catch {
        return { message: undefined };
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(rows);
}

/** The proto files of this folder's parent, with `runtime.naming.identifier` in the package (design decision 1). */
export function loadProtocol(identifier: string): Protocol {
  const authPackage = `${identifier}.auth.v1`;
  const authText = protoText("auth.proto").replace(/^package service\.auth\.v1;$/m, `package ${authPackage};`);
  const all = { ...definitionOf(authText), ...definitionOf(protoText("health.proto")) };
  const authServiceName = `${authPackage}.AuthService`;
  return {
    authServiceName,
    authService: readingAnything(serviceOf(all, authServiceName)),
    healthService: serviceOf(all, healthServiceName),
    all,
  };
}
