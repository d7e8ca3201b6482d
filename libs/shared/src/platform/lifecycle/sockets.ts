import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Maximum length of the address of a Unix socket, in bytes, with its final zero (unix(7)). */
const maxAddressBytes = 108;

/** Only this user may enter it, and it ends with the process. */
function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "postern-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * The sockets of the services of a process. Undefined for other services, and where the path of temporary files is too long for sockets: the
 * services' TCP listeners are used then.
 */
export function socketsOf(services: readonly string[]): (service: string) => string | undefined {
  let folder: string | undefined;
  return (service) => {
    if (!services.includes(service)) return undefined;
    folder ??= createFolder();
    const path = join(folder, service);
    return Buffer.byteLength(path) < maxAddressBytes ? path : undefined;
  };
}
