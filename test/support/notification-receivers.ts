import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { SMTPServer } from "smtp-server";

export interface ReceivedHook {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** An HTTP server that records the requests it receives. It can be closed and opened again. */
export interface HookReceiver extends AsyncDisposable {
  readonly received: readonly ReceivedHook[];
  open(): Promise<void>;
  close(): Promise<void>;
}

/** @param certificate makes it an HTTPS server */
export async function startHookReceiver(port: number, certificate?: MailCertificate): Promise<HookReceiver> {
  const received: ReceivedHook[] = [];
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => void parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
      response.writeHead(204).end();
    });
  };
  const server = certificate === undefined ? createServer(handle) : createSecureServer(certificate, handle);
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
  /** The unchanged mail with its headers. */
  readonly source: string;
}

/** A certificate and its key in PEM. */
export interface MailCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An SMTP server that records mail received after STARTTLS and a login. */
export interface MailReceiver extends AsyncDisposable {
  readonly received: readonly ReceivedMail[];
  /** Requires another password from now on. */
  demand(password: string): void;
  /** Uses another certificate for new connections. */
  present(certificate: MailCertificate): void;
}

export interface MailReceiverOptions {
  readonly port: number;
  readonly username: string;
  readonly password: string;
  readonly certificate: MailCertificate;
}

export async function startMailReceiver(options: MailReceiverOptions): Promise<MailReceiver> {
  const { port, username, certificate } = options;
  let { password } = options;
  const received: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...certificate,
    logger: false,
    onAuth: (login, _session, done) => {
      if (login.username === username && login.password === password) done(null, { user: username });
      else done(new Error("wrong user or password"));
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => void parts.push(part));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        if (session.secure) received.push({ to, source: Buffer.concat(parts).toString("utf8") });
        done();
      });
    },
  });
  // A worker resets its connections when it stops.
  server.on("error", () => undefined);
  const listening = Promise.withResolvers<void>();
  server.listen(port, "127.0.0.1", listening.resolve);
  await listening.promise;
  return {
    received,
    demand: (other) => {
      password = other;
    },
    present: (other) => server.updateSecureContext({ ...other }),
    [Symbol.asyncDispose]: () => {
      const closed = Promise.withResolvers<void>();
      server.close(closed.resolve);
      return closed.promise;
    },
  };
}
