/** The users' accounts are in an LDAP directory. */
export interface LdapAnswers {
  readonly kind: "ldap";
  /** `ldap://`, `ldaps://` or `ldapi://`. */
  readonly server: string;
  readonly baseDn: string;
  readonly bindDn: string;
  readonly filter: string;
  readonly accountAttribute: string;
  readonly uniqueId: string;
  readonly caFile: string;
}

/** The users' accounts are in an SQL database. */
export interface SqlAnswers {
  readonly kind: "sql";
  readonly driver: "postgresql" | "mysql";
  /** `host:port` */
  readonly server: string;
  readonly database: string;
  readonly user: string;
  readonly query: string;
  /** Column of the query; empty without one. */
  readonly uniqueId: string;
  readonly caFile: string;
}

/** The users' accounts are in a file that the engine opens. */
export interface SqliteAnswers {
  readonly kind: "sqlite";
  readonly file: string;
  readonly query: string;
}

export type BackendAnswers = LdapAnswers | SqlAnswers | SqliteAnswers;

/** A server with its credential, which is undefined if the server needs none. */
export interface ServerAnswers {
  readonly url: string;
  readonly credential: string | undefined;
}

/** A mail server, which is an API caller with its own credentials. */
export interface MailServerAnswers {
  readonly name: string;
  /** Addresses and networks from which it asks; empty if it may ask from everywhere. */
  readonly networks: readonly string[];
}

/** What `postern init` must know about a site. */
export interface SiteAnswers {
  readonly mailServers: readonly MailServerAnswers[];
  readonly backend: BackendAnswers;
  /** Password for LDAP or the database. */
  readonly backendPassword: string;
  readonly redis: ServerAnswers;
  /** Whether the services run in one process. */
  readonly isOneProcess: boolean;
  /** Undefined if one process is the whole site. */
  readonly nats: ServerAnswers | undefined;
  /** Whether NATS is not set up yet, so that a token is generated. */
  readonly ownNats: boolean;
  /** Public URL of the sign-in pages; undefined without them. */
  readonly pagesUrl: string | undefined;
  /** Reverse proxies in front of the pages. */
  readonly proxies: readonly string[];
}
