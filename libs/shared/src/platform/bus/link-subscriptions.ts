import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import type { BusLogger } from "./logger.ts";

export interface LinkSubscription {
  /** Unsubscribes at the server, then waits until all messages that it had already sent have been handed over. */
  drain(): Promise<void>;
  unsubscribe(): void;
}

export interface SubscribeOptions {
  readonly queue?: string | undefined;
  /** Receives requests, so that it is drained before the server stops. */
  readonly isServed?: boolean | undefined;
}

export interface LinkSubscriptions {
  readonly add: (subject: string, onMessage: (message: Msg) => void, options?: SubscribeOptions) => LinkSubscription;
  /**
   * Subscribes what the connection lacks: everything on a new connection, refused and drained subscriptions after a reconnect.
   */
  readonly activateOn: (connection: NatsConnection) => void;
  /** The connection is closed permanently. */
  readonly detach: () => void;
  /** Stops receiving requests; `activateOn` subscribes them again. */
  readonly drainServed: () => Promise<void>;
}

interface Registration {
  readonly subject: string;
  readonly queue: string | undefined;
  readonly isServed: boolean;
  readonly onMessage: (message: Msg) => void;
  current: Subscription | undefined;
}

function isLive(subscription: Subscription | undefined): subscription is Subscription {
  return subscription !== undefined && !subscription.isClosed();
}

/** The subscriptions of the process, independent of whether there is a connection. */
export function createLinkSubscriptions(logger: BusLogger): LinkSubscriptions {
  const registrations = new Set<Registration>();
  let connection: NatsConnection | undefined;

  const activate = (registration: Registration): void => {
    if (connection === undefined || connection.isClosed() || isLive(registration.current)) return;
    const { subject, queue, onMessage } = registration;
    const callback = (error: Error | null, message: Msg): void => {
      if (error === null) onMessage(message);
      else logger.error({ subject, error: error.message }, "bus subscription refused");
    };
    registration.current = connection.subscribe(subject, { callback, ...(queue !== undefined && { queue }) });
  };

  return {
    add(subject, onMessage, { queue, isServed = false } = {}) {
      const registration: Registration = { subject, queue, isServed, onMessage, current: undefined };
      registrations.add(registration);
      activate(registration);
      return {
        async drain() {
          registrations.delete(registration);
          if (isLive(registration.current)) await registration.current.drain();
        },
        unsubscribe() {
          registrations.delete(registration);
          if (isLive(registration.current)) registration.current.unsubscribe();
        },
      };
    },
    activateOn(newConnection) {
      connection = newConnection;
      for (const registration of registrations) activate(registration);
    },
    detach() {
      connection = undefined;
      for (const registration of registrations) registration.current = undefined;
    },
    async drainServed() {
      const served = [...registrations].filter(({ isServed }) => isServed);
      await Promise.allSettled(served.map(async ({ current }) => (isLive(current) ? current.drain() : undefined)));
    },
  };
}
