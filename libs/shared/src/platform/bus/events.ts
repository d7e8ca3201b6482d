import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { Static, TSchema } from "typebox";
import type { BusEvent } from "../../contracts/define.ts";
import { eventSubject } from "../../contracts/subjects.ts";
import { AppError, fromUnknown } from "../errors/app-error.ts";
import type { CallsDeps } from "./calls.ts";
import { deepFrozen, type LocalBus } from "./local-bus.ts";
import { decoder, verified } from "./methods.ts";

type EventsDeps = Pick<CallsDeps, "link" | "codec" | "metrics" | "onError"> & {
  readonly namespace: string;
  readonly local: LocalBus | undefined;
};

/** Names the process that published an event. Other versions ignore it. */
const originHeader = "Postern-Origin";

function originOf({ origin }: LocalBus): MsgHdrs {
  const header = headers();
  header.set(originHeader, origin);
  return header;
}

export function createEvents({ link, namespace, codec, metrics, onError, local }: EventsDeps) {
  const origin = local === undefined ? undefined : originOf(local);
  const publishElsewhere = (subject: string, body: unknown): boolean => {
    try {
      if (!link.isConnected()) return false;
      const bytes = codec.encode(body);
      if (bytes.length > link.maxPayload()) throw new AppError("BUS_PAYLOAD", { detail: `${bytes.length} bytes` });
      link.publish(subject, bytes, undefined, origin);
      return true;
    } catch (thrown) {
      onError(fromUnknown(thrown), subject);
      return false;
    }
  };
  return {
    /** Returns false if the event could not be sent. Delivery is at most once: back it with state that subscribers check. */
    publish<Body extends TSchema>(event: BusEvent<Body>, body: Static<Body>): boolean {
      const subject = eventSubject(namespace, event);
      const isHeardHere = local?.deliver(subject, local.isStrict ? deepFrozen(body) : body) === true;
      if (publishElsewhere(subject, body) || isHeardHere) return true;
      metrics.counted("event_lost");
      return false;
    },
    /** Every subscriber receives every event; one that does not match its schema is dropped and counted. */
    subscribe<Body extends TSchema>(event: BusEvent<Body>, handler: (body: Static<Body>) => Promise<void> | void) {
      const subject = eventSubject(namespace, event);
      const decode = decoder(codec, event.body, "REQUEST_MALFORMED");
      const verify = verified(event.body, "REQUEST_MALFORMED");
      const receive = async (read: () => Static<Body>): Promise<void> => {
        let body: Static<Body>;
        try {
          body = read();
        } catch {
          metrics.counted("malformed");
          return;
        }
        try {
          await handler(body);
        } catch (thrown) {
          metrics.counted("event_lost");
          onError(fromUnknown(thrown), subject);
        }
      };
      const remote = link.subscribe(subject, (message) => {
        if (local === undefined || message.headers?.get(originHeader) !== local.origin)
          void receive(() => decode(message.data));
      });
      const leave = local?.receive(subject, (body) => receive(() => verify(body)));
      return {
        unsubscribe: (): void => {
          leave?.();
          remote.unsubscribe();
        },
      };
    },
  };
}

export type EventSubscription = ReturnType<ReturnType<typeof createEvents>["subscribe"]>;
