import { isUtf8 } from "node:buffer";
import { fromJSON, type Options, type PackageDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import { authProtocol } from "@postern/shared/platform/grpc";
import protobuf from "protobufjs";
import healthProto from "../../proto/health.proto?raw";

export interface Incoming {
  /** Absent if the bytes are not a valid message of this type. */
  readonly message: object | undefined;
}

const healthServiceName = "grpc.health.v1.Health";
const options: Options = { keepCase: true, defaults: true };

function definitionOf(text: string): PackageDefinition {
  const { root } = protobuf.parse(text, { keepCase: true });
  return fromJSON(root.toJSON(), options);
}

function serviceOf(all: PackageDefinition, name: string): ServiceDefinition {
  const definition = all[name];
  if (definition === undefined || "format" in definition) throw new TypeError(`no service ${name} in the proto files`);
  return definition;
}

const replacement = "\ufffd";

/** The library replaces invalid UTF-8 with a replacement character, which the sender may also have sent. */
function hasReplacedBytes(message: object): boolean {
  return Object.values(message).some((value) => typeof value === "string" && value.includes(replacement));
}

const lengthDelimited = 2;

/**
 * Whether all strings of a message are valid UTF-8 (Protocol Buffers, "string"). Requests have no other length-delimited fields.
 */
function isUtf8Throughout(bytes: Buffer): boolean {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const wireType = reader.uint32() & 7;
    if (wireType !== lengthDelimited) reader.skipType(wireType);
    else if (!isUtf8(reader.bytes())) return false;
  }
  return true;
}

/**
 * The library would answer an unreadable message with INTERNAL; it is the caller's mistake, and reported as such here.
 */
function readingAnything(service: ServiceDefinition): ServiceDefinition {
  const rows = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer): Incoming => {
      try {
        const message = method.requestDeserialize(bytes);
        return { message: hasReplacedBytes(message) && !isUtf8Throughout(bytes) ? undefined : message };
      } catch {
        return { message: undefined };
      }
    };
    return [name, { ...method, requestDeserialize }] as const;
  });
  return Object.fromEntries(rows);
}

/** Loads the proto files, with `runtime.naming.identifier` in the package (ADR 0021). */
export function loadProtocol(identifier: string) {
  const { text, serviceName: authServiceName } = authProtocol(identifier);
  const all = { ...definitionOf(text), ...definitionOf(healthProto) };
  return {
    /** `service.auth.v1.AuthService`, with this site's identifier. */
    authServiceName,
    /** Its requests are read as `Incoming`. */
    authService: readingAnything(serviceOf(all, authServiceName)),
    healthService: serviceOf(all, healthServiceName),
    /** The original proto files, for reflection. */
    all,
  };
}
