import { existsSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, scratchFolder, startChildServer } from "@postern/testing";
import { peopleDn, readerDn, readerPassword } from "./backends.ts";

export interface Saslauthd extends AsyncDisposable {
  readonly server: ChildServer;
  readonly socketPath: string;
}

/** Its default. Each answers one request at a time, and its socket queues only a few connections more. */
export const saslauthdProcesses = 5;

/** Searches and binds like our decisions by LDAP. */
const ldapConfig = (uri: string): string => `ldap_servers: ${uri}
ldap_bind_dn: ${readerDn}
ldap_password: ${readerPassword}
ldap_search_base: ${peopleDn}
ldap_scope: sub
ldap_filter: (&(objectClass=inetOrgPerson)(mail=%u))
ldap_auth_method: bind
`;

/** Cyrus SASL's authentication server with its mechanism for LDAP. */
export async function startSaslauthd(ldapUri: string, { isCached }: { isCached: boolean }): Promise<Saslauthd> {
  await using owned = new AsyncDisposableStack();
  const { path: folder } = owned.use(await scratchFolder());
  await chmod(folder, 0o755);
  const file = join(folder, "saslauthd.conf");
  await writeFile(file, ldapConfig(ldapUri));
  const socketPath = join(folder, "mux");
  const cache = isCached ? ["-c", "-t", "3600"] : [];
  const server = owned.use(
    await startChildServer({
      // It ends all processes of its group when it ends.
      command: "setsid",
      // In debug mode it stays in the foreground.
      args: ["saslauthd", "-d", "-a", "ldap", "-O", file, "-m", folder, "-n", String(saslauthdProcesses), ...cache],
      env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` },
      ready: () => existsSync(socketPath),
    }),
  );
  const rest = owned.move();
  return { server, socketPath, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}
