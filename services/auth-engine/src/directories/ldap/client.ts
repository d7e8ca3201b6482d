import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import { type Change, Client, type PasswordPolicyControl, type SearchOptions, type SearchResult } from "ldapts";
import { classifyFailure, ServiceBindError } from "./errors.ts";
import { type OpenSocketOptions, openSocket } from "./open-socket.ts";
import type { ServerAddress } from "./server-uri.ts";

/** Who a connection speaks as before its first use. */
export type ServiceIdentity =
  | { readonly kind: "anonymous" }
  | { readonly kind: "simple"; readonly dn: string; readonly password: Secret }
  | { readonly kind: "external" };

export interface LdapConnection {
  /** False once the connection is lost; it never comes back (a new connection is a new object). */
  readonly isAlive: boolean;
  search(baseDn: string, options: SearchOptions): Promise<SearchResult>;
  /** The same in pages (RFC 2696). One at a time: servers keep one position for a connection. */
  searchPages(baseDn: string, options: SearchOptions): AsyncGenerator<SearchResult>;
  /** Simple bind. The connection then belongs to nobody until the next bind. `policy` gets what the server adds. */
  bind(dn: string, password: Secret, policy?: PasswordPolicyControl): Promise<void>;
  /** All changes or none (RFC 4511 section 4.6). */
  modify(dn: string, changes: Change[]): Promise<void>;
  bindService(identity: Exclude<ServiceIdentity, { kind: "anonymous" }>): Promise<void>;
  /** Unbinds politely; safe to call twice. */
  close(): void;
}

export interface OpenConnectionOptions extends OpenSocketOptions {
  /** Every operation ends within this time; one that does not takes the connection down with it. */
  readonly operationTimeoutMs: number;
  readonly onClose: () => void;
}

/**
 * Opens one connection. ldapts would silently connect again, unauthenticated, when a connection was lost; here it gets
 * a socket that is open already, and asking for a second one is an error.
 */
async function openConnection(address: ServerAddress, options: OpenConnectionOptions): Promise<LdapConnection> {
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
  const bind = async (dn: string, password: Secret, policy?: PasswordPolicyControl): Promise<void> => {
    // RFC 4513 section 5.1: with either one empty it would be an anonymous bind, which succeeds.
    if (password.isEmpty || !dn.includes("=")) {
      throw new AppError("INTERNAL", { detail: "LDAP bind without a password or without a name" });
    }
    await client.bind(dn, password.reveal(), policy);
  };
  return {
    get isAlive() {
      return isAlive;
    },
    search: (baseDn, searchOptions) => client.search(baseDn, searchOptions),
    searchPages: (baseDn, searchOptions) => client.searchPaginated(baseDn, searchOptions),
    bind,
    modify: (dn, changes) => client.modify(dn, changes),
    bindService: (identity) =>
      identity.kind === "external" ? client.bindSASL("EXTERNAL", "") : bind(identity.dn, identity.password),
    close: () => {
      isAlive = false;
      client.unbind().catch(() => socket.destroy());
      if (!isTaken) socket.destroy();
    },
  };
}

const identityRefused = (uri: string, error: unknown): unknown =>
  classifyFailure(error) === "answer" ? new ServiceBindError(uri, error) : error;

/**
 * Opens a connection that is ready for use: bound as the service account, or, for an anonymous one, after a first
 * answer of the server (any answer: it may forbid anonymous questions and still serve binds). A server that takes
 * connections and never speaks is thereby found out here and not by a user's request.
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

/** The cheapest question: one entry, no attributes (RFC 4512 section 5.1). */
export async function readRootDse(connection: LdapConnection): Promise<void> {
  await connection.search("", { scope: "base", attributes: ["1.1"], sizeLimit: 1, timeLimit: 1 });
}
