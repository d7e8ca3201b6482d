import { once } from "node:events";
import { createServer } from "node:http";
import { SMTPServer } from "smtp-server";

export interface ReceivedHook {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** An HTTP server that keeps what is posted to it, and can be away. */
export interface HookReceiver extends AsyncDisposable {
  readonly received: readonly ReceivedHook[];
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function startHookReceiver(port: number): Promise<HookReceiver> {
  const received: ReceivedHook[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
      response.writeHead(204).end();
    });
  });
  const open = async (): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  };
  await open();
  return { received, open, close, [Symbol.asyncDispose]: close };
}

export interface ReceivedMail {
  readonly to: readonly string[];
  /** As it came, headers and all. */
  readonly source: string;
}

export interface MailReceiver extends AsyncDisposable {
  readonly received: readonly ReceivedMail[];
}

export async function startMailReceiver(port: number): Promise<MailReceiver> {
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    logger: false,
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => void parts.push(part));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, source: Buffer.concat(parts).toString("utf8") });
        done();
      });
    },
  });
  // A worker that is stopped resets its connections.
  server.on("error", () => undefined);
  const listening = Promise.withResolvers<void>();
  server.listen(port, "127.0.0.1", listening.resolve);
  await listening.promise;
  return {
    received,
    [Symbol.asyncDispose]: () => {
      const closed = Promise.withResolvers<void>();
      server.close(closed.resolve);
      return closed.promise;
    },
  };
}
