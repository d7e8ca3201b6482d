import type { Static, TSchema } from "typebox";
import type { BusMethod } from "../../contracts/define.ts";
import { queueGroup } from "../../contracts/subjects.ts";
import { AppError } from "../errors/app-error.ts";
import type { Endpoint } from "./calls.ts";
import type { Codec } from "./codec.ts";
import type { HandlerContext } from "./in-flight-call.ts";
import { deepFrozen, type LocalBus } from "./local-bus.ts";
import type { MethodName, Route } from "./route.ts";
import { compileCheck } from "./schema-check.ts";

/** The client side of a method, created once per method. */
interface ClientMethod<Reply> {
  readonly route: Route;
  /** @throws AppError UPSTREAM_UNAVAILABLE when the reply does not match the method's schema. */
  readonly decodeReply: (body: Buffer) => Reply;
}

export type Handler<Req extends TSchema, Rep extends TSchema> = (
  request: Static<Req>,
  context: HandlerContext,
) => Promise<Static<Rep>>;

export type RawHandler = (body: Buffer, context: HandlerContext) => Promise<Uint8Array> | Uint8Array;

/** Finds methods by identity; the subject and the check are created at first use. */
export function createMethodTable(routeOf: (method: MethodName) => Route, codec: Codec) {
  const known = new WeakMap<BusMethod, ClientMethod<unknown>>();

  // The map's type cannot express that an entry belongs to its method's reply schema; the overload does.
  function methodOf<Rep extends TSchema>(method: BusMethod<TSchema, Rep>): ClientMethod<Static<Rep>>;
  function methodOf(method: BusMethod): ClientMethod<unknown> {
    const found = known.get(method);
    if (found !== undefined) return found;
    const decodeReply = decoder(codec, method.reply, "UPSTREAM_UNAVAILABLE");
    const clientMethod = { route: routeOf(method), decodeReply };
    known.set(method, clientMethod);
    return clientMethod;
  }
  return methodOf;
}

export function decoder<Schema extends TSchema>(
  codec: Codec,
  schema: Schema,
  code: "UPSTREAM_UNAVAILABLE" | "REQUEST_MALFORMED",
): (body: Uint8Array) => Static<Schema> {
  const verify = verified(schema, code);
  return (body) => {
    let value: unknown;
    try {
      value = codec.decode(body);
    } catch (cause) {
      throw new AppError(code, { detail: "not CBOR", cause });
    }
    return verify(value);
  };
}

export function typedEndpoint<Req extends TSchema, Rep extends TSchema>(
  route: Route,
  method: BusMethod<Req, Rep>,
  handler: Handler<Req, Rep>,
  { codec, local }: { readonly codec: Codec; readonly local: LocalBus | undefined },
): Endpoint {
  const decodeRequest = decoder(codec, method.request, "REQUEST_MALFORMED");
  return {
    route,
    queue: queueGroup(method.service),
    invoke: (body, context) => handler(decodeRequest(body), context),
    encode: resultEncoder(codec),
    handle: local === undefined ? undefined : localHandler(method, handler, local),
  };
}

/** Whether a value matches its schema; throws if it does not. */
export function verified<Schema extends TSchema>(
  schema: Schema,
  code: "UPSTREAM_UNAVAILABLE" | "REQUEST_MALFORMED",
): (value: unknown) => Static<Schema> {
  const check = compileCheck(schema);
  return (value) => {
    if (check.accepts(value)) return value;
    throw new AppError(code, { detail: `does not match its schema: ${check.explain(value)}` });
  };
}

/** Requests are checked as over NATS, because they contain what callers send. */
function localHandler<Req extends TSchema, Rep extends TSchema>(
  { request, reply }: BusMethod<Req, Rep>,
  handler: Handler<Req, Rep>,
  { isStrict }: LocalBus,
): NonNullable<Endpoint["handle"]> {
  const verifyRequest = verified(request, "REQUEST_MALFORMED");
  if (!isStrict) return async (value, context) => handler(verifyRequest(value), context);
  const verifyReply = verified(reply, "UPSTREAM_UNAVAILABLE");
  return async (value, context) => {
    const result = await handler(verifyRequest(deepFrozen(value)), context);
    return deepFrozen(verifyReply(result));
  };
}

/**
 * A frozen result (a cached decision) is encoded once and its bytes are reused for every caller. Code that freezes a result must freeze it
 * deeply.
 */
function resultEncoder(codec: Codec): Endpoint["encode"] {
  const encoded = new WeakMap<object, Uint8Array>();
  return (result) => {
    if (typeof result !== "object" || result === null || !Object.isFrozen(result)) return codec.encode(result);
    const known = encoded.get(result);
    if (known !== undefined) return known;
    // The encoder returns a view into a far larger block.
    const bytes = Buffer.from(codec.encode(result));
    encoded.set(result, bytes);
    return bytes;
  };
}

export function rawEndpoint(route: Route, handler: RawHandler): Endpoint {
  return {
    route,
    queue: queueGroup(route.service),
    invoke: handler,
    encode(result) {
      if (result instanceof Uint8Array) return result;
      throw new TypeError("a raw handler must return bytes");
    },
  };
}
