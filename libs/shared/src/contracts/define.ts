import type { Static, TSchema } from "typebox";

/** A request/reply method of the bus: the service that serves it, its name, major version and two schemas. */
export interface BusMethod<Req extends TSchema = TSchema, Rep extends TSchema = TSchema> {
  readonly service: string;
  readonly name: string;
  readonly major: number;
  readonly request: Req;
  readonly reply: Rep;
}

/** An event for all subscribers, delivered at most once. */
export interface BusEvent<Body extends TSchema = TSchema> {
  readonly domain: string;
  readonly fact: string;
  readonly major: number;
  readonly body: Body;
}

export type Request<M> = M extends BusMethod<infer Req> ? Static<Req> : never;
export type Reply<M> = M extends BusMethod<TSchema, infer Rep> ? Static<Rep> : never;
export type Payload<E> = E extends BusEvent<infer Body> ? Static<Body> : never;

export function defineMethod<Req extends TSchema, Rep extends TSchema>(
  method: BusMethod<Req, Rep>,
): BusMethod<Req, Rep> {
  return Object.freeze(method);
}

export function defineEvent<Body extends TSchema>(event: BusEvent<Body>): BusEvent<Body> {
  return Object.freeze(event);
}
