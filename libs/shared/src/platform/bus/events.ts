import type { Static, TSchema } from "typebox";
import type { BusEvent } from "../../contracts/define.ts";
import { eventSubject } from "../../contracts/subjects.ts";
import { AppError } from "../errors/app-error.ts";
import { fromUnknown } from "../errors/from-unknown.ts";
import type { Codec } from "./codec.ts";
import type { Link } from "./link.ts";
import { decoder } from "./methods.ts";
import type { BusMetrics } from "./metrics.ts";

export interface EventSubscription {
  unsubscribe(): void;
}

export interface EventsDeps {
  readonly link: Link;
  readonly namespace: string;
  readonly codec: Codec;
  readonly metrics: BusMetrics;
  readonly onError: (error: AppError, subject: string) => void;
}

export interface Events {
  /** Returns false if the event could not be sent. Delivery is at most once, so a sent event may still be lost. */
  readonly publish: <Body extends TSchema>(event: BusEvent<Body>, body: Static<Body>) => boolean;
  /** Every subscriber receives every event; one that does not match its schema is dropped and counted. */
  readonly subscribe: <Body extends TSchema>(
    event: BusEvent<Body>,
    handler: (body: Static<Body>) => Promise<void> | void,
  ) => EventSubscription;
}

export function createEvents({ link, namespace, codec, metrics, onError }: EventsDeps): Events {
  return {
    publish(event, body) {
      try {
        if (link.isConnected()) {
          const bytes = codec.encode(body);
          if (bytes.length > link.maxPayload()) throw new AppError("BUS_PAYLOAD", { detail: `${bytes.length} bytes` });
          link.publish(eventSubject(namespace, event), bytes);
          return true;
        }
      } catch (thrown) {
        onError(fromUnknown(thrown), eventSubject(namespace, event));
      }
      metrics.eventLost();
      return false;
    },
    subscribe(event, handler) {
      const subject = eventSubject(namespace, event);
      const decode = decoder(codec, event.body, "REQUEST_MALFORMED");
      const handle = async (bytes: Uint8Array): Promise<void> => {
        let body: Static<typeof event.body>;
        try {
          body = decode(bytes);
        } catch {
          metrics.malformed();
          return;
        }
        try {
          await handler(body);
        } catch (thrown) {
          metrics.eventLost();
          onError(fromUnknown(thrown), subject);
        }
      };
      return link.subscribe(subject, (message) => void handle(message.data));
    },
  };
}
