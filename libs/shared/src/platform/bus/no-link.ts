import type { Link } from "./link.ts";

const nothing = (): void => undefined;
const atOnce = async (): Promise<void> => undefined;
/** The limit with which NATS is set up for Postern. */
const maxPayload = 4 * 1024 * 1024;

/** In place of a connection to NATS where one process is the whole site. It is never lost, and leads nowhere. */
export function createNoLink(): Link {
  let isClosed = false;
  return {
    status: () => (isClosed ? "closed" : "connected"),
    isConnected: () => !isClosed,
    isMoving: () => false,
    connections: () => 1,
    maxPayload: () => maxPayload,
    publish: nothing,
    subscribe: () => ({ drain: atOnce, unsubscribe: nothing }),
    onStatus: nothing,
    beforeMove: nothing,
    canMove: () => false,
    move: nothing,
    onMoveFailed: nothing,
    flush: atOnce,
    close: async () => {
      isClosed = true;
    },
  };
}
