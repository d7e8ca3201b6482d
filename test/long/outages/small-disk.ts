import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { type ChildServer, startChildServer } from "@postern/testing";

export interface OnSmallDisk extends ChildServer {
  /** Writes until the disk is full. */
  fill(): Promise<void>;
  /** Deletes what `fill` wrote. */
  empty(): Promise<void>;
}

export interface SmallDiskOptions {
  /** An existing folder, which becomes the mount point for this process only. */
  readonly folder: string;
  readonly megabytes: number;
  /** A command for the shell; the process that it becomes is the server. */
  readonly command: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly port: number;
}

const block = Buffer.alloc(65_536, 1);

async function fits(file: FileHandle, size: number): Promise<boolean> {
  try {
    await file.write(block, 0, size);
    return true;
  } catch (error) {
    if (Object(error).code !== "ENOSPC") throw error;
    return false;
  }
}

/** Writes a file of the size of the free space; the last blocks are smaller, so that not even a log line fits. */
async function fillFile(path: string): Promise<void> {
  const file = await open(path, "a");
  try {
    for (let size = block.length; size >= 1; ) {
      if (!(await fits(file, size))) size = Math.floor(size / 2);
    }
  } finally {
    await file.close();
  }
}

/** Starts a server whose folder is a small disk of its own. It needs no rights beyond those of a user, but user namespaces. */
export async function startOnSmallDisk({
  folder,
  megabytes,
  command,
  env,
  port,
}: SmallDiskOptions): Promise<OnSmallDisk> {
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs '${folder}' && ${command}`;
  const server = await startChildServer({
    command: "unshare",
    args: ["--user", "--map-root-user", "--mount", "sh", "-c", script],
    ...(env === undefined ? undefined : { env }),
    port,
  });
  // The mount is visible in the server's own view of the file system only.
  const filler = join(`/proc/${server.pid}/root`, folder, "filler");
  return { ...server, fill: () => fillFile(filler), empty: () => rm(filler) };
}
