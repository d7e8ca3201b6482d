import { decodeCbor } from "@postern/shared/platform/cbor";
import { callerRejections } from "@postern/shared/platform/openapi";
import { Check, Errors } from "typebox/value";
import { parse } from "yaml";
import { isTree, type Tree } from "../../support/stack-config.ts";
import type { DriveAnswer, DriveParts } from "./drive.ts";

export interface ContractOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly object: Tree;
}

/** A document as a client received it, independent of the code that generated it. */
export interface Contract {
  readonly operations: readonly ContractOperation[];
  /** The parts of a request that its schemas reject. */
  readonly requestFaults: (operation: ContractOperation, parts: DriveParts) => readonly string[];
  /** The parts of a response that the document does not promise. */
  readonly answerFaults: (operation: ContractOperation, answer: DriveAnswer) => readonly string[];
}

function tree(value: unknown): Tree {
  return isTree(value) ? value : {};
}

function resolver(document: Tree): (value: unknown) => unknown {
  const schemas = tree(tree(document["components"])["schemas"]);
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (!isTree(value)) return value;
    const { $ref } = value;
    if (typeof $ref === "string") return resolve(schemas[$ref.replace("#/components/schemas/", "")]);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolve(member)]));
  };
  return resolve;
}

function faults(where: string, schema: unknown, value: unknown): readonly string[] {
  const type = tree(schema);
  if (Check(type, value)) return [];
  return Errors(type, value).map(({ instancePath, message }) => `${where}${instancePath}: ${message}`);
}

/** A CBOR map as the object that JSON would have. */
function withoutMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMaps);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([name, member]) => [String(name), withoutMaps(member)]));
}

function bodyValue({ type, bytes }: DriveAnswer): unknown {
  if (type === "application/json" || type === "application/jwk-set+json") return JSON.parse(bytes.toString());
  if (type === "application/cbor") return withoutMaps(decodeCbor(bytes));
  if (type === "application/yaml") return parse(bytes.toString());
  return bytes.toString();
}

function parameterValue(place: unknown, name: string, parts: DriveParts): string | undefined {
  if (place === "path") return parts.path?.[name];
  if (place === "query") return parts.query?.[name];
  return Object.entries(parts.headers ?? {}).find(([header]) => header.toLowerCase() === name.toLowerCase())?.[1];
}

function parameterFaults(object: Tree, parts: DriveParts): readonly string[] {
  const parameters = Array.isArray(object["parameters"]) ? object["parameters"] : [];
  return parameters.flatMap((row: unknown) => {
    const { name, in: place, required, schema } = tree(row);
    const value = parameterValue(place, String(name), parts);
    if (value === undefined) return required === true ? [`${String(name)} is required`] : [];
    return faults(String(name), schema, value);
  });
}

function bodyFaults({ requestBody }: Tree, { body }: DriveParts): readonly string[] {
  const { required, content } = tree(requestBody);
  if (body === undefined) return required === true ? ["a body is required"] : [];
  const media = tree(content)[body.type] ?? tree(content)["*/*"];
  if (media === undefined) return [`a body of type ${body.type} is not offered`];
  return faults("body", tree(media)["schema"], body.value);
}

function operationsOf(paths: Tree): readonly ContractOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(tree(methods)).map(([method, value]) => {
      const object = tree(value);
      return { operationId: String(object["operationId"]), method, path, object };
    }),
  );
}

function isEmptyRejection({ object }: ContractOperation, status: number): boolean {
  return JSON.stringify(object["security"] ?? []).includes("backchannel") && callerRejections.has(status);
}

function headerFaults(promised: Tree, { headers }: DriveAnswer): readonly string[] {
  return Object.entries(promised).flatMap(([name, row]) => {
    const value = headers.get(name);
    return value === null ? [] : faults(name, tree(row)["schema"], value);
  });
}

export function createContract(document: unknown): Contract {
  const whole = tree(document);
  const resolved = tree(resolver(whole)(whole["paths"]));
  return {
    operations: operationsOf(resolved),
    requestFaults: ({ object }, parts) => [...parameterFaults(object, parts), ...bodyFaults(object, parts)],
    answerFaults: (operation, answer) => {
      const { status, type, bytes } = answer;
      const promised = tree(operation.object["responses"])[String(status)];
      if (promised === undefined) return [`status ${status} is not promised: ${bytes.toString()}`];
      const { content, headers, "x-empty-body": mayBeEmpty } = tree(promised);
      const about = headerFaults(tree(headers), answer);
      if (bytes.length === 0) {
        return mayBeEmpty === true || content === undefined || isEmptyRejection(operation, status)
          ? about
          : [...about, "no body"];
      }
      const media = tree(content)[type ?? ""] ?? tree(content)["*/*"];
      if (media === undefined) return [...about, `a body of type ${type ?? "none"} is not promised for ${status}`];
      return [...about, ...faults("body", tree(media)["schema"], bodyValue(answer))];
    },
  };
}
