import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DatabaseServer, spawnMariadb, spawnPostgresql } from "@postern/testing";
import { parse } from "yaml";
import { isTree, type Tree } from "../../support/stack-config.ts";

/** An existing installation: its schema, its users, and the example configuration for it. */
export interface Site {
  readonly name: string;
  /** Whether its example upgrades hashes. */
  readonly isUpgrading: boolean;
  readonly start: () => Promise<DatabaseServer>;
  /** The statements that the database has received since its last start. */
  readonly statements: (server: DatabaseServer) => string;
  /** `auth.backends` of the example file, with the test's host and these ports. */
  readonly backends: (server: DatabaseServer, ...ports: readonly number[]) => Tree;
}

function file(path: string): string {
  return readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), "utf8");
}

function at(tree: unknown, key: string): Tree {
  const value = isTree(tree) ? tree[key] : undefined;
  if (!isTree(value)) throw new Error(`no section ${key}`);
  return value;
}

function exampleBackends(path: string): Site["backends"] {
  return ({ database, user, password }, ...ports) => {
    const backends = at(at(parse(file(path)), "auth"), "backends");
    const sql = at(backends, "sql");
    const server = { server: ports.map((port) => `127.0.0.1:${port}`), database, user, password, tls: false };
    const bounds = {
      connect_timeout: "700ms",
      query_timeout: "700ms",
      cb_cooldown: "500ms",
      health_check_interval: "1s",
    };
    return { ...backends, sql: { ...sql, default: { ...at(sql, "default"), ...server, ...bounds, pool_size: 4 } } };
  };
}

/** `openssl passwd -1 -salt postfixa alice-old-password`, the format of older PostfixAdmin versions. */
const md5Crypt = "$1$postfixa$DS3YUq4BQz2y2TAZnLuKf/";
/** `{BLF-CRYPT}`, as mailcow writes them. */
const blowfish = "{BLF-CRYPT}$2y$06$wDo1QU.fnW3aKK4iQV5P3eAaMFhyYgmI918aQHy0ty4E0YWLwbccW";

const postfixadmin = `CREATE TABLE domain (domain varchar(255) PRIMARY KEY, active boolean NOT NULL DEFAULT true);
CREATE TABLE mailbox (username varchar(255) PRIMARY KEY, password varchar(255) NOT NULL, name varchar(255) NOT NULL DEFAULT '', maildir varchar(255) NOT NULL, quota bigint NOT NULL DEFAULT 0, local_part varchar(255) NOT NULL, domain varchar(255) NOT NULL, active boolean NOT NULL DEFAULT true);
INSERT INTO domain VALUES ('example.test', true), ('closed.test', false);
INSERT INTO mailbox (username, password, name, maildir, quota, local_part, domain, active) VALUES ('alice@example.test', '${md5Crypt}', 'Alice', 'example.test/alice/', 1048576, 'alice', 'example.test', true), ('off@example.test', '${md5Crypt}', 'Off', 'x/', 0, 'off', 'example.test', false), ('alice@closed.test', '${md5Crypt}', 'Closed', 'x/', 0, 'alice', 'closed.test', true);
`;

const mailcow = `CREATE TABLE mailbox (username VARCHAR(255) NOT NULL PRIMARY KEY, password VARCHAR(255) NOT NULL, name VARCHAR(255), quota BIGINT(20) NOT NULL DEFAULT 102400, local_part VARCHAR(255) NOT NULL, domain VARCHAR(255) NOT NULL, attributes LONGTEXT CHECK (JSON_VALID(attributes)), active TINYINT(1) NOT NULL DEFAULT 1);
INSERT INTO mailbox VALUES ('alice@example.test', '${blowfish}', 'Alice', 1048576, 'alice', 'example.test', '{"imap_access":"1","pop3_access":"0","smtp_access":"1","sieve_access":"1"}', 1), ('off@example.test', '${blowfish}', 'Off', 0, 'off', 'example.test', '{"imap_access":"1"}', 0);
`;

/** The third recovery code of an account takes so long that the database can be killed before it is stored. */
const slowThirdCode = {
  postgresql: `CREATE FUNCTION wait_for_third_code() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF (SELECT count(*) FROM postern_recovery_codes WHERE account = NEW.account) >= 2 THEN PERFORM pg_sleep(30); END IF; RETURN NEW; END';
CREATE TRIGGER slow BEFORE INSERT ON postern_recovery_codes FOR EACH ROW EXECUTE FUNCTION wait_for_third_code();
`,
  mariadb: `CREATE DEFINER = postern@'127.0.0.1' TRIGGER slow BEFORE INSERT ON postern_recovery_codes FOR EACH ROW SET NEW.code = IF((SELECT count(*) FROM postern_recovery_codes WHERE account = NEW.account) >= 2, IF(SLEEP(30), NEW.code, NEW.code), NEW.code);
`,
};

export const sites: readonly Site[] = [
  {
    name: "PostfixAdmin in PostgreSQL",
    isUpgrading: true,
    start: () =>
      spawnPostgresql({ sql: postfixadmin + file("config/sql/mfa-postgresql.sql") + slowThirdCode.postgresql }),
    statements: (server) => server.output(),
    backends: exampleBackends("config/sql-postfixadmin.yaml"),
  },
  {
    name: "mailcow in MariaDB",
    isUpgrading: false,
    start: () => spawnMariadb({ sql: mailcow + file("config/sql/mfa-mysql.sql") + slowThirdCode.mariadb }),
    statements: ({ folder }) => readFileSync(join(folder, "queries.log"), "utf8"),
    backends: exampleBackends("config/sql-mailcow.yaml"),
  },
];
