import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";

export interface BusLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface SubscribeOptions {
  readonly queue?: string | undefined;
  /** Receives requests, so that it is drained before the server stops. */
  readonly isServed?: boolean | undefined;
}

export type LinkSubscriptions = ReturnType<typeof createLinkSubscriptions>;

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
export function createLinkSubscriptions(logger: BusLogger) {
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
    add: (subject: string, onMessage: (message: Msg) => void, { queue, isServed = false }: SubscribeOptions = {}) => {
      const registration: Registration = { subject, queue, isServed, onMessage, current: undefined };
      registrations.add(registration);
      activate(registration);
      return {
        /** Unsubscribes at the server, then waits until all messages that it had already sent have been handed over. */
        async drain(): Promise<void> {
          registrations.delete(registration);
          if (isLive(registration.current)) await registration.current.drain();
        },
        unsubscribe(): void {
          registrations.delete(registration);
          if (isLive(registration.current)) registration.current.unsubscribe();
        },
      };
    },
    /** Subscribes what the connection lacks: everything on a new connection, refused and drained subscriptions after a reconnect. */
    activateOn: (newConnection: NatsConnection): void => {
      connection = newConnection;
      for (const registration of registrations) activate(registration);
    },
    /** The connection is closed permanently. */
    detach: (): void => {
      connection = undefined;
      for (const registration of registrations) registration.current = undefined;
    },
    /** Stops receiving requests; `activateOn` subscribes them again. */
    drainServed: async (): Promise<void> => {
      const served = [...registrations].filter(({ isServed }) => isServed);
      await Promise.allSettled(served.map(async ({ current }) => (isLive(current) ? current.drain() : undefined)));
    },
  };
}
