import * as contracts from "@postern/shared/contracts";
import { createCodec } from "@postern/shared/platform/bus";
import { type Schema, samplesOf } from "./message-samples.ts";

/** The messages of a release: schemas by subject and direction, and examples as they cross the bus. */
export interface RecordedBus {
  readonly version: string;
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The largest and the smallest value of each schema, in CBOR, as hexadecimal digits. */
  readonly messages: Readonly<Record<string, readonly string[]>>;
}

const isMethod = (value: unknown): value is contracts.BusMethod =>
  typeof value === "object" && value !== null && "request" in value && "reply" in value && "service" in value;
const isEvent = (value: unknown): value is contracts.BusEvent =>
  typeof value === "object" && value !== null && "body" in value && "fact" in value;

/** The schema of each message of the tree, such as `auth-engine.authenticate.v1 reply`, as JSON. */
export function busSchemas(): Readonly<Record<string, Schema>> {
  const values: readonly unknown[] = Object.values(contracts);
  const methods = values
    .filter(isMethod)
    .flatMap(({ service, name, major, request, reply }) => [
      [`${service}.${name}.v${major} request`, request] as const,
      [`${service}.${name}.v${major} reply`, reply] as const,
    ]);
  const events = values
    .filter(isEvent)
    .map(({ domain, fact, major, body }) => [`${domain}.${fact}.v${major} event`, body] as const);
  const sorted = [...methods, ...events].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.parse(JSON.stringify(Object.fromEntries(sorted)));
}

const codec = createCodec();
/** Longer examples only repeat a character. */
const longest = 2000;

/** What is recorded of the tree. */
export function recordBus(version: string): RecordedBus {
  const schemas = busSchemas();
  const messages = Object.entries(schemas).map(([name, schema]) => {
    const encoded = samplesOf(schema).map((value) => Buffer.from(codec.encode(value)).toString("hex"));
    return [name, encoded.filter((text) => text.length <= longest).slice(0, 2)] as const;
  });
  return { version, schemas, messages: Object.fromEntries(messages) };
}

/** The value of a recorded message. */
export function decodeMessage(text: string): unknown {
  return codec.decode(Buffer.from(text, "hex"));
}

export function encodeMessage(value: unknown): string {
  return Buffer.from(codec.encode(value)).toString("hex");
}
