import type { Socket } from "node:net";
import type { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { type Change, Client, type Control, type SearchOptions, type SearchResult } from "ldapts";
import { classifyFailure, ServiceBindError } from "./errors.ts";
import { type OpenSocketOptions, openSocket } from "./open-socket.ts";
import type { ServerAddress } from "./server-uri.ts";

/** The identity of a connection before its first use. */
export type ServiceIdentity =
  | { readonly kind: "anonymous" }
  | { readonly kind: "simple"; readonly dn: string; readonly password: Secret }
  | { readonly kind: "external" };

export type LdapConnection = Awaited<ReturnType<typeof openConnection>>;

export interface OpenConnectionOptions extends OpenSocketOptions {
  /** Time limit of every operation; an operation that exceeds it closes the connection. */
  readonly operationTimeoutMs: number;
  readonly onClose: () => void;
}

/**
 * Holds what is written to the socket until the end of the turn, so that the searches of one bus message are one system call (a system
 * call for each was a third of the engine's time).
 */
function createCork(socket: Socket): () => void {
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    socket.cork();
    setImmediate(() => {
      isCorked = false;
      socket.uncork();
    });
  };
}

/**
 * Opens one connection. ldapts would reconnect silently and unauthenticated after a lost connection; it gets an open
 * socket here, and a request for a second one is an error.
 */
async function openConnection(address: ServerAddress, options: OpenConnectionOptions) {
  const socket = await openSocket(address, options);
  let isAlive = true;
  let isTaken = false;
  socket.once("close", () => {
    isAlive = false;
    options.onClose();
  });
  const client = new Client({
    url: "ldap://connected",
    timeout: options.operationTimeoutMs,
    connectTimeout: options.connectTimeoutMs,
    createConnection: () => {
      if (isTaken) throw new Error("connection lost");
      isTaken = true;
      return socket;
    },
  });
  const cork = createCork(socket);
  const bind = async (dn: string, password: Secret, controls?: Control[]): Promise<void> => {
    // RFC 4513 section 5.1: if either is empty, the bind would be anonymous and succeed.
    if (password.isEmpty || !dn.includes("=")) {
      throw new AppError("INTERNAL", { detail: "LDAP bind without a password or without a name" });
    }
    await client.bind(dn, password.reveal(), controls);
  };
  return {
    /** False if the connection is lost. It never recovers; a new connection is a new object. */
    get isAlive(): boolean {
      return isAlive;
    },
    search: (baseDn: string, searchOptions: SearchOptions): Promise<SearchResult> => {
      cork();
      return client.search(baseDn, searchOptions);
    },
    /** Searches in pages (RFC 2696). One search at a time: servers keep one position per connection. */
    searchPages: (baseDn: string, searchOptions: SearchOptions) => client.searchPaginated(baseDn, searchOptions),
    /** Simple bind. The connection then belongs to that user until the next bind. `controls` receive what the server adds. */
    bind,
    /** Applies all changes or none (RFC 4511 section 4.6). */
    modify: (dn: string, changes: Change[]): Promise<void> => client.modify(dn, changes),
    bindService: (identity: Exclude<ServiceIdentity, { kind: "anonymous" }>): Promise<void> =>
      identity.kind === "external" ? client.bindSASL("EXTERNAL", "") : bind(identity.dn, identity.password),
    /** Sends an unbind and closes; safe to call twice. */
    close: (): void => {
      isAlive = false;
      client.unbind().catch(() => socket.destroy());
      if (!isTaken) socket.destroy();
    },
  };
}

const identityRefused = (uri: string, error: unknown): unknown =>
  classifyFailure(error) === "answer" ? new ServiceBindError(uri, error) : error;

/**
 * Opens a connection that is ready for use: bound as the service account, or, if anonymous, after any first answer of
 * the server (which may forbid anonymous searches and still serve binds). A server that accepts connections but never
 * answers is found here, and not by a user's request.
 */
export async function openReadyConnection(
  address: ServerAddress,
  identity: ServiceIdentity,
  options: OpenConnectionOptions,
): Promise<LdapConnection> {
  const connection = await openConnection(address, options);
  try {
    if (identity.kind === "anonymous") await askAnything(connection);
    else
      await connection
        .bindService(identity)
        .catch((error: unknown) => Promise.reject(identityRefused(address.uri, error)));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function askAnything(connection: LdapConnection): Promise<void> {
  try {
    await readRootDse(connection);
  } catch (error) {
    if (classifyFailure(error) !== "answer") throw error;
  }
}

/** The cheapest search: one entry, no attributes (RFC 4512 section 5.1). */
export async function readRootDse(connection: LdapConnection): Promise<void> {
  await connection.search("", { scope: "base", attributes: ["1.1"], sizeLimit: 1, timeLimit: 1 });
}
