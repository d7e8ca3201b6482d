import type { Static, TSchema } from "typebox";

/** A request/reply method of the bus: the service that serves it, its name, major version and two schemas. */
export interface BusMethod<Req extends TSchema = TSchema, Rep extends TSchema = TSchema> {
  readonly service: string;
  readonly name: string;
  readonly major: number;
  readonly request: Req;
  readonly reply: Rep;
  /**
   * Handling a request twice has the effect of handling it once, so that the bus may send it to a second replica when the first one falls
   * silent.
   */
  readonly repeatable?: boolean;
  /** The only replica that serves this method; absent if all replicas do. */
  readonly instance?: string;
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

/** A method of the engines, in its first major version. */
export function engineMethod<Req extends TSchema, Rep extends TSchema>(
  name: string,
  request: Req,
  reply: Rep,
  options: Pick<BusMethod, "repeatable"> = {},
): BusMethod<Req, Rep> {
  return defineMethod({ service: "auth-engine", name, major: 1, request, reply, ...options });
}

/** The method as one replica serves it, on its own subject. `instance` is part of that subject. */
export function methodAt<Req extends TSchema, Rep extends TSchema>(
  method: BusMethod<Req, Rep>,
  instance: string,
): BusMethod<Req, Rep> {
  return defineMethod({ ...method, name: instanceMethodName(method.name, instance), instance });
}

export function instanceMethodName(name: string, instance: string): string {
  return `${name}-${instance}`;
}

export function defineEvent<Body extends TSchema>(event: BusEvent<Body>): BusEvent<Body> {
  return Object.freeze(event);
}
