import { createConnection, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { AbstractConnector, type RedisOptions } from "ioredis";
import { steadyClock } from "../time/clock.ts";
import type { SentinelPanel } from "./sentinel-panel.ts";
import { type Agreement, addressText } from "./sentinel-view.ts";

type Connector = NonNullable<RedisOptions["Connector"]>;

export type ConfirmedPrimary = ReturnType<typeof createConfirmedPrimary>;

const askAgainMs = 500;
/** Less than Sentinel needs to replace a primary, and more than a busy process misses. */
const stoppedMs = 1500;

/** The open connections, by the address that the sentinels named. */
class Connections {
  readonly #open = new Map<Socket, { readonly address: string; readonly addedAt: number }>();
  #turnAt = steadyClock.now();

  add(socket: Socket, address: string): void {
    this.#open.set(socket, { address, addedAt: steadyClock.now() });
    socket.once("close", () => this.#open.delete(socket));
  }

  /** A primary that no majority contradicts stays in use while sentinels are missing. A newer connection had a newer answer. */
  keepOnly(agreement: Agreement, askedAt: number): void {
    if (!agreement.isConfirmed) return;
    const confirmed = addressText(agreement.primary);
    for (const [socket, { address, addedAt }] of this.#open) {
      if (address !== confirmed && addedAt < askedAt) socket.destroy();
    }
  }

  leaveIfStopped(): void {
    if (steadyClock.now() - this.#turnAt <= stoppedMs) return;
    this.#turnAt = steadyClock.now();
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /** The owner calls it at least once a second. */
  turn(): void {
    this.leaveIfStopped();
    this.#turnAt = steadyClock.now();
  }
}

function connectorOf(
  panel: SentinelPanel,
  tls: object | undefined,
  disconnectMs: number,
  connections: Connections,
): Connector {
  return class extends AbstractConnector {
    constructor() {
      super(disconnectMs);
    }

    /** The sentinels may not have noticed yet that the primary has become a replica. A user without INFO has no such text. */
    override check(info: { readonly role?: string }): boolean {
      return info.role === undefined || info.role === "master";
    }

    override async connect(emit: (type: string, error: Error) => void): Promise<Socket> {
      this.connecting = true;
      for (;;) {
        const agreement = await panel.ask();
        if (!this.connecting) throw new Error("Connection is closed.");
        if (agreement.isConfirmed) return this.#open(agreement);
        emit("error", new Error(agreement.reason));
        await pause(askAgainMs);
        if (!this.connecting) throw new Error("Connection is closed.");
      }
    }

    #open({ primary }: Extract<Agreement, { isConfirmed: true }>): Socket {
      const { host, port } = primary;
      const stream = tls === undefined ? createConnection({ host, port }) : connectTls({ host, port, ...tls });
      stream.once("error", (error: Error) => {
        this.firstError = error;
      });
      connections.add(stream, addressText(primary));
      this.stream = stream;
      return stream;
    }
  };
}

/**
 * Connects a client to the primary that the sentinels agree on, and ends its connections to any other.
 *
 * @param tls read for each connection
 */
export function createConfirmedPrimary(panel: SentinelPanel, tls: object | undefined, disconnectMs: number) {
  const connections = new Connections();
  let isAsking = false;
  const watch = setInterval(() => {
    connections.turn();
    if (isAsking) return;
    isAsking = true;
    const askedAt = steadyClock.now();
    void panel.ask().then((agreement) => {
      isAsking = false;
      connections.keepOnly(agreement, askedAt);
    });
  }, askAgainMs);
  return {
    /** For the client's options, and so for its duplicates. */
    Connector: connectorOf(panel, tls, disconnectMs, connections),
    /** Called before each command: ends the connections of a process that was stopped, because the primary may have been replaced meanwhile. */
    leaveIfStopped: (): void => connections.leaveIfStopped(),
    close: (): void => {
      clearInterval(watch);
      panel.close();
    },
  };
}
