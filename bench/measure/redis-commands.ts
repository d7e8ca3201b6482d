import { connect } from "node:net";

/** Calls by command, including those inside scripts. */
export type CommandCounts = Readonly<Record<string, number>>;

/** Parses `INFO commandstats`. */
export function parseCommandStats(info: string): CommandCounts {
  const lines = [...info.matchAll(/^cmdstat_([^:]+):calls=(\d+),/gm)];
  return Object.fromEntries(lines.map(([, name = "", calls]) => [name, Number(calls)]));
}

/** Asks a Redis server on loopback. */
export function readCommandStats(port: number): Promise<CommandCounts> {
  return new Promise((resolve, reject) => {
    let reply = "";
    const socket = connect(port, "127.0.0.1");
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      reply += text;
    });
    socket.once("error", reject);
    socket.once("close", () => resolve(parseCommandStats(reply)));
    socket.write("INFO commandstats\r\nQUIT\r\n");
  });
}

/** What was called between two readings, per request; commands with less than one call in a hundred requests are left out. */
export function commandsPerRequest(before: CommandCounts, after: CommandCounts, requests: number): CommandCounts {
  const counts = Object.entries(after).map(
    ([name, calls]) => [name, (calls - (before[name] ?? 0)) / requests] as const,
  );
  return Object.fromEntries(counts.filter(([, calls]) => calls >= 0.01).toSorted((a, b) => b[1] - a[1]));
}
