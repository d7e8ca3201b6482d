import { type ChildServer, poll } from "@postern/testing";

type LogLine = Readonly<Record<string, unknown>>;

function parseLine(line: string): LogLine {
  return line.startsWith("{") ? JSON.parse(line) : {};
}

/** Waits for the first log line with this message and session. Logs are written shortly after the response. */
export async function logLineOf(service: ChildServer, session: string | undefined, msg: string): Promise<LogLine> {
  // Only lines with the session are parsed: a stack writes thousands, and this is polled.
  const mentioned = session === undefined ? "" : `"${session}"`;
  return poll(`${msg} of ${session}`, () =>
    service
      .output()
      .split("\n")
      .slice(0, -1)
      .filter((line) => line.includes(mentioned))
      .map(parseLine)
      .find((line) => line["session"] === session && line["msg"] === msg),
  );
}
