import type { Static, TSchema } from "typebox";
import type { BusEvent } from "../../contracts/define.ts";
import { eventSubject } from "../../contracts/subjects.ts";
import { AppError } from "../errors/app-error.ts";
import { fromUnknown } from "../errors/from-unknown.ts";
import type { CallsDeps } from "./calls.ts";
import { decoder } from "./methods.ts";

export interface EventSubscription {
  unsubscribe(): void;
}

type EventsDeps = Pick<CallsDeps, "link" | "codec" | "metrics" | "onError"> & { readonly namespace: string };

export function createEvents({ link, namespace, codec, metrics, onError }: EventsDeps) {
  return {
    /** Returns false if the event could not be sent. Delivery is at most once, so a sent event may still be lost. */
    publish: <Body extends TSchema>(event: BusEvent<Body>, body: Static<Body>): boolean => {
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
    /** Every subscriber receives every event; one that does not match its schema is dropped and counted. */
    subscribe: <Body extends TSchema>(
      event: BusEvent<Body>,
      handler: (body: Static<Body>) => Promise<void> | void,
    ): EventSubscription => {
      const subject = eventSubject(namespace, event);
      const decode = decoder(codec, event.body, "REQUEST_MALFORMED");
      const handle = async (bytes: Uint8Array): Promise<void> => {
        let body: Static<Body>;
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
