import { createHash, randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { hash } from "@node-rs/argon2";
import { ldapUid, ldapUserCount, mailOf, userPassword } from "./users.ts";

/** Argon2id, m=19456, t=2, p=1. */
function argon2id(): Promise<string> {
  return hash(userPassword, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
}

/** Costs almost nothing, so that the rest of a decision is measured. */
export function saltedSha256(): string {
  const salt = randomBytes(8);
  const digest = createHash("sha256").update(userPassword).update(salt).digest();
  return `{SSHA256}${Buffer.concat([digest, salt]).toString("base64")}`;
}

/** Writes an SQLite backend with the given number of users that share one hash, Argon2id by default. */
export async function writeSqlBackend(file: string, users: number, stored?: string): Promise<void> {
  const password = stored ?? (await argon2id());
  using database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE users (username TEXT NOT NULL PRIMARY KEY COLLATE NOCASE, password TEXT, display_name TEXT NOT NULL,
      mail TEXT NOT NULL, uid TEXT NOT NULL, enabled INTEGER NOT NULL DEFAULT 1) STRICT, WITHOUT ROWID;`);
  database
    .prepare(`WITH RECURSIVE ids (id) AS (SELECT 0 UNION ALL SELECT id + 1 FROM ids WHERE id < :last)
      INSERT INTO users (username, password, display_name, mail, uid)
      SELECT 'user' || id || '@example.test', :password, 'User ' || id, 'user' || id || '@example.test', 'user' || id FROM ids`)
    .run({ last: users - 1, password });
}

export const readerDn = "cn=reader,dc=example,dc=test";
export const readerPassword = "reader-password";
export const peopleDn = "ou=people,dc=example,dc=test";

function ssha(password: string): string {
  const salt = randomBytes(8);
  const digest = createHash("sha1").update(password).update(salt).digest();
  return `{SSHA}${Buffer.concat([digest, salt]).toString("base64")}`;
}

/** Users with salted SHA-1, so that slapd's own share stays small. */
export function ldapContent(): string {
  const stored = ssha(userPassword);
  const people = Array.from({ length: ldapUserCount }, (_, index) => {
    const uid = ldapUid(index);
    return `dn: uid=${uid},${peopleDn}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: ${uid}
displayName: User ${index}
mail: ${mailOf(index)}
userPassword: ${stored}
`;
  });
  return `dn: ${peopleDn}
objectClass: organizationalUnit
ou: people

dn: ${readerDn}
objectClass: applicationProcess
objectClass: simpleSecurityObject
cn: reader
userPassword: ${readerPassword}

${people.join("\n")}`;
}
