import { randomUUID } from "node:crypto";
import type { Static, TSchema } from "typebox";
import type { RegionCall } from "../../contracts/regions/calls.ts";
import type { RequestOptions } from "../../platform/bus/client.ts";
import { createCodec } from "../../platform/bus/codec.ts";
import type { Bus } from "../../platform/bus/connect.ts";
import type { HandlerContext } from "../../platform/bus/in-flight-call.ts";
import type { MethodName } from "../../platform/bus/route.ts";
import { compileCheck } from "../../platform/bus/schema-check.ts";
import type { KeyRing } from "../../platform/crypto/key-ring.ts";
import { AppError } from "../../platform/errors/app-error.ts";

interface RegionCallsDeps {
  /** The connection to the NATS that joins the regions. */
  readonly bus: Bus;
  /** The same secrets in every region. */
  readonly keys: KeyRing;
  /** This region. */
  readonly name: string;
  readonly peers: readonly string[];
}

type Handler<Req extends TSchema, Rep extends TSchema> = (
  request: Static<Req>,
  context: HandlerContext,
) => Promise<Static<Rep>>;

/** The key ring of the messages. */
export const regionCallsPurpose = "region-calls";

const maxInFlight = 256;
const nameBytes = 20;

function unreadable(detail: string): AppError {
  return new AppError("UPSTREAM_UNAVAILABLE", { detail });
}

/**
 * Calls between regions over NATS. Each message is encrypted and authenticated for its sender, its receiver and its call, a reply also for
 * its request; whoever else can use the NATS that joins the regions can neither read nor change one.
 */
export class RegionCalls {
  readonly #deps: RegionCallsDeps;
  readonly #peers: ReadonlySet<string>;
  readonly #codec = createCodec();
  /** The bus knows methods by identity. */
  readonly #methods = new Map<string, MethodName>();

  constructor(deps: RegionCallsDeps) {
    this.#deps = deps;
    this.#peers = new Set(deps.peers);
  }

  /** This region. */
  get name(): string {
    return this.#deps.name;
  }

  /** All regions, this one included. */
  get regions(): readonly string[] {
    return [this.#deps.name, ...this.#deps.peers];
  }

  /** The region that a tag names, if it is another one. */
  elsewhere(tag: string | undefined): string | undefined {
    return tag !== undefined && this.#peers.has(tag) ? tag : undefined;
  }

  /** @throws AppError of the kind `unavailable`, whatever the other region answers instead of a result */
  async ask<Req extends TSchema, Rep extends TSchema>(
    region: string,
    call: RegionCall<Req, Rep>,
    request: Static<Req>,
    options: RequestOptions,
  ): Promise<Static<Rep>> {
    const { bus, keys, name } = this.#deps;
    const id = randomUUID();
    const context = [name, region, call.name].join(" ");
    const sealed = keys.seal(this.#codec.encode({ id, request }), context);
    const body = Buffer.concat([Buffer.from(name.padEnd(nameBytes)), sealed]);
    try {
      const bytes = await bus.rawRequest(this.#method(region, call.name), body, options);
      return this.#opened(bytes, `${context} ${id}`, call.reply);
    } catch (cause) {
      if (cause instanceof AppError && cause.row.kind === "unavailable") throw cause;
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `region ${region} refused ${call.name}`, cause });
    }
  }

  /** Answers a call of the other regions, by what this region alone knows. */
  serve<Req extends TSchema, Rep extends TSchema>(call: RegionCall<Req, Rep>, handler: Handler<Req, Rep>): void {
    const { bus, keys, name } = this.#deps;
    const Envelope = compileCheck(call.request);
    bus.rawServe(
      this.#method(name, call.name),
      async (bytes, handling) => {
        const from = bytes.subarray(0, nameBytes).toString("latin1").trimEnd();
        const context = [from, name, call.name].join(" ");
        const plain = this.#peers.has(from) ? keys.open(bytes.subarray(nameBytes), context) : undefined;
        if (plain === undefined) throw new AppError("REQUEST_MALFORMED", { detail: "of no other region" });
        const { id, request } = Object(this.#codec.decode(plain));
        if (!Envelope.accepts(request)) throw new AppError("REQUEST_MALFORMED", { detail: Envelope.explain(request) });
        return keys.seal(this.#codec.encode(await handler(request, handling)), `${context} ${String(id)}`);
      },
      { maxInFlight },
    );
  }

  close(): Promise<void> {
    return this.#deps.bus.drain();
  }

  #opened<Rep extends TSchema>(bytes: Uint8Array, context: string, schema: Rep): Static<Rep> {
    const plain = this.#deps.keys.open(bytes, context);
    if (plain === undefined) throw unreadable("a reply of another region cannot be decrypted");
    const value: unknown = this.#codec.decode(plain);
    const check = compileCheck(schema);
    if (!check.accepts(value)) throw unreadable(`a reply of another region: ${check.explain(value)}`);
    return value;
  }

  #method(region: string, name: string): MethodName {
    const key = `${region} ${name}`;
    const known = this.#methods.get(key) ?? { service: region, name, major: 1 };
    this.#methods.set(key, known);
    return known;
  }
}
