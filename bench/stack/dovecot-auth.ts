import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Dovecot, poll, spawnDovecot } from "@postern/testing";
import { peopleDn, readerDn, readerPassword } from "./backends.ts";

export interface DovecotAuth extends AsyncDisposable {
  readonly dovecot: Dovecot;
  /** The socket on which its login processes ask. */
  readonly socketPath: string;
}

const ldapFile = "/etc/dovecot/dovecot-ldap.conf.ext";

/** Searches and binds like our decisions by LDAP. */
const ldapConfig = (uri: string): string => `uris = ${uri}
dn = ${readerDn}
dnpass = ${readerPassword}
base = ${peopleDn}
scope = subtree
auth_bind = yes
pass_attrs = mail=user
pass_filter = (&(objectClass=inetOrgPerson)(mail=%u))
`;

/** Dovecot's authentication server with its own password database for LDAP, with or without its cache. */
export async function startDovecotAuth(ldapUri: string, { isCached }: { isCached: boolean }): Promise<DovecotAuth> {
  const dovecot = await spawnDovecot({
    config: `protocols = imap
auth_mechanisms = plain
disable_plaintext_auth = no
${isCached ? "auth_cache_size = 10M\nauth_cache_ttl = 1 hour\n" : ""}passdb {
  driver = ldap
  args = ${ldapFile}
}
userdb {
  driver = static
  args = uid=65534 gid=65534 home=/nonexistent
}
`,
    files: { [ldapFile]: ldapConfig(ldapUri) },
  });
  const socketPath = join(dirname(dovecot.homes), "run", "auth-client");
  // It listens for IMAP a little earlier.
  await poll("Dovecot's authentication server to listen", () => Promise.resolve(existsSync(socketPath)));
  return {
    dovecot,
    socketPath,
    [Symbol.asyncDispose]: () => dovecot[Symbol.asyncDispose](),
  };
}
